// title: Is every record in a neighbourhood of at least k?
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
// facts:
//   violators counts audit/degree-violators
//   records counts audit/neighbourhood-sizes
// order: none (one row)
// reads: Dataset, Record, PROXIMATE-OR-SIZES
// writes: nothing
// complexity: O(records), from the sizes that they have at the levels of the dataset; at an epsilon without
//   sizes O(records + pairs), sensible up to some 10 million pairs
// example: ratingpriv query run audit/degree-check --param dataset=survey --param k=5 --param epsilon=1
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
WITH d, problem, sum(times) AS records, min(size) AS min_size,
     sum(CASE WHEN size >= $k THEN 0 ELSE times END) AS violators
RETURN CASE WHEN problem IS NULL AND records > 0 THEN violators = 0 END AS satisfied,
       CASE WHEN problem IS NULL THEN records END AS records,
       CASE WHEN problem IS NULL THEN violators END AS violators,
       min_size,
       d.epsilonMax AS epsilon_max,
       coalesce(d.complete, false) AS complete,
       CASE WHEN problem IS NULL AND records = 0 THEN 'the dataset has no records' ELSE problem END AS problem
ORDER BY problem
