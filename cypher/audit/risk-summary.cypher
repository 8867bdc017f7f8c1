// title: The largest and the mean chance of a pick at random in a neighbourhood, and the share of records below k
// definition: prosecutor risk max 1 / |N(t)|, marketer risk mean 1 / |N(t)|, share of records with |N(t)| < k;
//   neighbourhoods of [SWLZ11, Def. 4.2]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   records: INTEGER? -- records looked at
//   alone: INTEGER? -- records with no proximate record
//   prosecutor_max: FLOAT? -- largest risk of a record
//   marketer: FLOAT? -- mean risk over the records
//   share_below_k: FLOAT? -- share of records with a neighbourhood smaller than k
//   problem: STRING? -- null, or why the question cannot be answered; then every other column is null or says nothing
// order: none (one row)
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(records + pairs); sensible up to some 10 million pairs
// example: ratingpriv query run audit/risk-summary --param dataset=survey --param k=5 --param epsilon=1
OPTIONAL MATCH (d:Dataset {name: $dataset})
WITH d, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN coalesce(d.edges, '') <> 'all' THEN 'only the pairs of at-risk records were loaded: ingest with all edges'
    WHEN NOT coalesce($epsilon <= d.epsilonMax, false) THEN 'epsilon is above the epsilonMax of the dataset'
    WHEN NOT coalesce($k >= 1, false) THEN 'k is below 1'
END AS problem
OPTIONAL MATCH (r:Record {dataset: $dataset})
WHERE problem IS NULL
WITH problem, r, CASE WHEN r IS NOT NULL THEN
    COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } + 1
END AS size
WITH problem, count(r) AS records, sum(CASE WHEN size = 1 THEN 1 ELSE 0 END) AS alone,
     max(1.0 / size) AS largest, avg(1.0 / size) AS mean, sum(CASE WHEN size < $k THEN 1.0 ELSE 0.0 END) AS below
RETURN CASE WHEN problem IS NULL THEN records END AS records,
       CASE WHEN problem IS NULL THEN alone END AS alone,
       largest AS prosecutor_max,
       mean AS marketer,
       CASE WHEN records > 0 THEN below / records END AS share_below_k,
       CASE WHEN problem IS NULL AND records = 0 THEN 'the dataset has no records' ELSE problem END AS problem
ORDER BY problem
