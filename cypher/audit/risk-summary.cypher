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
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// facts:
//   alone counts audit/degree-violators with k = 2
// order: none (one row)
// reads: Dataset, Record, PROXIMATE-OR-SIZES
// writes: nothing
// complexity: O(records), from the sizes that they have at the levels of the dataset; at an epsilon without
//   sizes O(records + pairs), sensible up to some 10 million pairs
// example: ratingpriv query run audit/risk-summary --param dataset=survey --param k=5 --param epsilon=1
OPTIONAL MATCH (d:Dataset {name: $dataset})
WITH d, CASE WHEN $epsilon >= 0 AND (d.everyLevel OR $epsilon IN d.levels)
    THEN size([level IN d.levels WHERE level <= $epsilon]) - 1
END AS level
WITH d, level, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN NOT coalesce($epsilon <= d.epsilonMax, false) THEN 'epsilon is above the epsilonMax of the dataset'
    WHEN coalesce(d.edges, '') <> 'all' AND level IS NULL
        THEN 'only the pairs of at-risk records were loaded, and no sizes at this epsilon: ingest with all edges'
    WHEN NOT coalesce($k >= 1, false) THEN 'k is below 1'
END AS problem
CALL (problem, level) {
    OPTIONAL MATCH (r:Record {dataset: $dataset})
    WHERE problem IS NULL AND level IS NOT NULL
    RETURN r.sizes[level] AS size, count(r) AS times
  UNION ALL
    MATCH (r:Record {dataset: $dataset})
    WHERE problem IS NULL AND level IS NULL
    WITH COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } + 1 AS size
    RETURN size, count(size) AS times
}
WITH problem, sum(times) AS records, sum(CASE WHEN size = 1 THEN times ELSE 0 END) AS alone,
     max(1.0 / size) AS largest, sum(toFloat(times) / size) AS risks,
     sum(CASE WHEN size >= $k THEN 0 ELSE times END) AS below
RETURN CASE WHEN problem IS NULL THEN records END AS records,
       CASE WHEN problem IS NULL THEN alone END AS alone,
       largest AS prosecutor_max,
       CASE WHEN records > 0 THEN risks / records END AS marketer,
       CASE WHEN records > 0 THEN toFloat(below) / records END AS share_below_k,
       CASE WHEN problem IS NULL AND records = 0 THEN 'the dataset has no records' ELSE problem END AS problem
ORDER BY problem
