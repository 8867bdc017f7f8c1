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
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: position
// order: size, position
// reads: Dataset, Record, PROXIMATE-OR-SIZES
// writes: nothing
// complexity: O(records), from the sizes that they have at the levels of the dataset; at an epsilon without
//   sizes O(records + pairs), sensible up to some 10 million pairs
// example: ratingpriv query run audit/degree-violators --param dataset=survey --param k=5 --param epsilon=1
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
    WHERE problem IS NULL AND level IS NOT NULL AND NOT coalesce(r.sizes[level] >= $k, false)
    RETURN r.id AS record, r.position AS position, r.sizes[level] AS size
  UNION ALL
    MATCH (r:Record {dataset: $dataset})
    WHERE problem IS NULL AND level IS NULL
    RETURN r.id AS record, r.position AS position,
           COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } + 1 AS size
}
WITH problem, record, position, size
WHERE problem IS NOT NULL OR (position IS NOT NULL AND NOT coalesce(size >= $k, false))
RETURN record, position, size, 1.0 / size AS risk, problem
ORDER BY size, position
