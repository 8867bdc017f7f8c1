// title: The same as audit/degree-check, by counting pairs: what the benchmark compares with
// definition: |N(t)| >= k for every record t [SWLZ11, Def. 4.2]; as a graph, the minimum degree is at least k - 1
//   [SWLP10, Thm 1]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   satisfied: BOOLEAN? -- whether the dataset is (k,epsilon)-anonymous
//   records: INTEGER? -- records looked at
//   violators: INTEGER? -- records whose neighbourhood is smaller than k
//   min_size: INTEGER? -- the smallest neighbourhood, which is the largest k that holds
//   epsilon_max: FLOAT? -- the largest epsilon this dataset can be asked about
//   complete: BOOLEAN? -- whether the dataset was loaded to the end
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// order: none (one row)
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(records + pairs); sensible up to some 10 million pairs: the compiled engine (ratingpriv audit DATA)
//   is far faster
// example: for benchmarks
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
WITH d, problem, r, CASE WHEN r IS NOT NULL THEN
    COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } + 1
END AS size
WITH d, problem, count(r) AS records, min(size) AS min_size, sum(CASE WHEN size < $k THEN 1 ELSE 0 END) AS violators
RETURN CASE WHEN problem IS NULL THEN min_size >= $k END AS satisfied,
       CASE WHEN problem IS NULL THEN records END AS records,
       CASE WHEN problem IS NULL THEN violators END AS violators,
       min_size,
       d.epsilonMax AS epsilon_max,
       coalesce(d.complete, false) AS complete,
       CASE WHEN problem IS NULL AND records = 0 THEN 'the dataset has no records' ELSE problem END AS problem
ORDER BY problem
