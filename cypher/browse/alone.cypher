// title: Isolated records, and their Hamming groups
// definition: the records with |N(t)| = 1 [SWLZ11, Def. 4.2]; a Hamming group of one shows that the set of rated
//   issues alone singles the record out [SWLZ11, Def. 5.2]
//   At most 149 records, so that Browser draws at most 299 nodes.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   d: NODE? -- the dataset, where no record is drawn
//   r: NODE? -- an isolated record
//   i: RELATIONSHIP? -- that it is in
//   g: NODE? -- its Hamming group
//   alone: INTEGER? -- number of isolated records, those beyond the first 149 included
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: r
// facts:
//   r draws at most 149 of audit/degree-violators with k = 2
//   alone counts audit/degree-violators with k = 2
// order: r (by position)
// reads: Dataset, Record, HammingGroup, IN_GROUP, PROXIMATE-OR-SIZES
// writes: nothing
// complexity: O(records), from the sizes that they have at the levels of the dataset; at an epsilon without
//   sizes O(records + pairs)
// example: ratingpriv query run browse/alone --param dataset=survey --param epsilon=1
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
END AS problem
CALL (problem, level) {
    OPTIONAL MATCH (r:Record {dataset: $dataset})
    WHERE problem IS NULL AND level IS NOT NULL AND NOT coalesce(r.sizes[level] > 1, false)
    RETURN r.position AS position, 1 AS size
  UNION ALL
    MATCH (r:Record {dataset: $dataset})
    WHERE problem IS NULL AND level IS NULL
    RETURN r.position AS position,
           COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } + 1 AS size
}
WITH d, problem, CASE WHEN size = 1 THEN position END AS position
ORDER BY position
WITH d, problem, collect(position) AS lonely
WITH d, problem, size(lonely) AS alone, lonely[0..149] AS first
OPTIONAL MATCH (r:Record {dataset: $dataset})-[i:IN_GROUP]->(g:HammingGroup)
WHERE r.position IN first
WITH problem, alone, r, i, g
OPTIONAL MATCH (d:Dataset {name: $dataset})
WHERE r IS NULL
RETURN d, r, i, g, CASE WHEN problem IS NULL THEN alone END AS alone, problem
ORDER BY r.position
