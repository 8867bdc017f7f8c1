// title: Which records have a neighbourhood smaller than k?
// definition: the records t with |N(t)| < k [SWLZ11, Def. 4.2]; their degree is below k - 1 [SWLP10, Thm 1]
//   No row means that every record satisfies k.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   record: ANY? -- id of the record, as in the data
//   position: INTEGER? -- its 0-based place in the data
//   size: INTEGER? -- records in its neighbourhood, itself included
//   risk: FLOAT? -- 1 / size, the chance that a pick at random among its neighbourhood is right
//   problem: STRING? -- null, or why the question cannot be answered; then every other column is null or says nothing
// order: size, position
// reads: Dataset, Record, PROXIMATE-AT-RISK
// writes: nothing
// complexity: O(records + pairs); sensible up to some 10 million pairs
// example: ratingpriv query run audit/degree-violators --param dataset=survey --param k=5 --param epsilon=1
OPTIONAL MATCH (d:Dataset {name: $dataset})
WITH d, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN coalesce(d.edges, '') <> 'all' AND NOT coalesce(d.edges = 'at-risk' AND $epsilon = d.epsilonMax, false)
        THEN 'only the pairs of records at risk at epsilonMax were loaded: ask for that epsilon, or ingest all edges'
    WHEN d.edges = 'at-risk' AND NOT coalesce($k <= d.k, false)
        THEN 'only the pairs of records at risk at a smaller k were loaded: ingest with all edges, or with this k'
    WHEN NOT coalesce($epsilon <= d.epsilonMax, false) THEN 'epsilon is above the epsilonMax of the dataset'
    WHEN NOT coalesce($k >= 1, false) THEN 'k is below 1'
END AS problem
OPTIONAL MATCH (r:Record {dataset: $dataset})
WHERE problem IS NULL AND (d.edges = 'all' OR r.atRisk)
WITH problem, r, CASE WHEN r IS NOT NULL THEN
    COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } + 1
END AS size
WHERE problem IS NOT NULL OR size < $k
RETURN r.id AS record, r.position AS position, size, 1.0 / size AS risk, problem
ORDER BY size, position
