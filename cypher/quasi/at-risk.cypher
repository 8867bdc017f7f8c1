// title: Which records are at risk, and by which values of the quasi-identifiers?
// definition: the records t with |N(t)| < k [SWLZ11, Def. 4.2], each with what is known of the person and with the size of
//   the class of the quasi-identifiers that have to be equal: below k, no change of ratings can protect the record,
//   unless a null matches anything (null rule wildcard).
//   No row means that every record satisfies k.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   record: ANY? -- id of the record, as in the data
//   position: INTEGER? -- its 0-based place in the data
//   size: INTEGER? -- records in its neighbourhood, itself included
//   values: STRING? -- its values of the quasi-identifiers; ? for a null
//   class: INTEGER? -- number of its class (quasi/class-sizes); null where no column has to be equal
//   class_size: INTEGER? -- records in its class
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: position
// order: size, position
// reads: Dataset, Record, HammingGroup, IN_GROUP, PROXIMATE-OR-SIZES
// writes: nothing
// complexity: O(records), from the sizes that they have at the levels of the dataset; at an epsilon without
//   sizes O(records + pairs), sensible up to some 10 million pairs
// example: ratingpriv query run quasi/at-risk --param dataset=survey --param k=5 --param epsilon=1
OPTIONAL MATCH (d:Dataset {name: $dataset})
WITH d, CASE WHEN $epsilon >= 0 AND (d.everyLevel OR $epsilon IN d.levels)
    THEN size([level IN d.levels WHERE level <= $epsilon]) - 1
END AS level
WITH d, level, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN d.quasi IS NULL THEN 'the dataset has no quasi-identifiers: ask audit/degree-violators'
    WHEN NOT coalesce($epsilon <= d.epsilonMax, false) THEN 'epsilon is above the epsilonMax of the dataset'
    WHEN coalesce(d.edges, '') <> 'all' AND level IS NULL
        THEN 'only the pairs of at-risk records were loaded, and no sizes at this epsilon: ingest with all edges'
    WHEN NOT coalesce($k >= 1, false) THEN 'k is below 1'
END AS problem
OPTIONAL MATCH (u:Record {dataset: $dataset})-[:IN_GROUP]->(g:HammingGroup)
WHERE problem IS NULL
WITH level, problem, g.quasiClass AS class, count(u) AS class_size
WITH level, problem, collect({class: class, size: class_size}) AS classes
CALL (problem, level) {
    OPTIONAL MATCH (r:Record {dataset: $dataset})
    WHERE problem IS NULL AND level IS NOT NULL AND NOT coalesce(r.sizes[level] >= $k, false)
    RETURN r, r.sizes[level] AS size
  UNION ALL
    MATCH (r:Record {dataset: $dataset})
    WHERE problem IS NULL AND level IS NULL
    RETURN r, COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } + 1 AS size
}
WITH problem, classes, r, size
WHERE problem IS NOT NULL OR (r IS NOT NULL AND NOT coalesce(size >= $k, false))
OPTIONAL MATCH (r)-[:IN_GROUP]->(g:HammingGroup)
WITH problem, r, size, g.quasiClass AS class, [c IN classes WHERE c.class = g.quasiClass | c.size] AS own
RETURN r.id AS record, r.position AS position, size, r.quasiValues AS values, class,
       CASE WHEN class IS NOT NULL THEN own[0] END AS class_size, problem
ORDER BY size, position
