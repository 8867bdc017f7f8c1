// title: Who is at risk, and who is closest to them?
// definition: the records with |N(t)| < k [SWLZ11, Def. 4.2], each with the three closest records at any distance
//   that was loaded; those beyond epsilon show how far the record is from company. Where the dataset has
//   quasi-identifiers, a record's property quasiValues says its values; quasi/at-risk lists them.
//   At most 74 records at risk, so that Browser draws at most 297 nodes.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   d: NODE? -- the dataset, always in the picture
//   r: NODE? -- a record at risk
//   p: RELATIONSHIP? -- its pair with one of the closest
//   near: NODE? -- one of the closest
//   size: INTEGER? -- records in its neighbourhood at epsilon, itself included
//   problem: STRING? -- null, or why the question cannot be answered; then every other column is null or says nothing
// key: r, near
// facts:
//   r draws at most 74 of audit/degree-violators
// order: size, r (by position), near (by distance, then position)
// reads: Dataset, Record, PROXIMATE-AT-RISK
// writes: nothing
// complexity: O(records), from the sizes that they have at the levels of the dataset, and the pairs of those
//   drawn; at an epsilon without sizes O(records + pairs)
// example: ratingpriv query run browse/at-risk --param dataset=survey --param k=5 --param epsilon=1
OPTIONAL MATCH (d:Dataset {name: $dataset})
WITH d, CASE WHEN $epsilon >= 0 AND (d.everyLevel OR $epsilon IN d.levels)
    THEN size([level IN d.levels WHERE level <= $epsilon]) - 1
END AS level
WITH d, level, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN coalesce(d.edges, '') <> 'all' AND NOT coalesce(d.edges = 'at-risk' AND $epsilon = d.epsilonMax, false)
        THEN 'only the pairs of records at risk at epsilonMax were loaded: ask for that epsilon, or ingest all edges'
    WHEN d.edges = 'at-risk' AND NOT coalesce($k <= d.k, false)
        THEN 'only the pairs of records at risk at a smaller k were loaded: ingest with all edges, or with this k'
    WHEN NOT coalesce($epsilon <= d.epsilonMax, false) THEN 'epsilon is above the epsilonMax of the dataset'
    WHEN NOT coalesce($k >= 1, false) THEN 'k is below 1'
END AS problem
CALL (problem, level) {
    OPTIONAL MATCH (r:Record {dataset: $dataset})
    WHERE problem IS NULL AND level IS NOT NULL AND NOT coalesce(r.sizes[level] >= $k, false)
    RETURN r.position AS position, r.sizes[level] AS size
  UNION ALL
    MATCH (r:Record {dataset: $dataset})
    WHERE problem IS NULL AND level IS NULL
    RETURN r.position AS position,
           COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } + 1 AS size
}
WITH d, problem, position, size
WHERE position IS NULL OR NOT coalesce(size >= $k, false)
ORDER BY size, position
LIMIT 74
WITH d, problem, collect(position) AS places,
     collect(CASE WHEN position IS NOT NULL THEN {position: position, size: size} END) AS risky
OPTIONAL MATCH (r:Record {dataset: $dataset})
WHERE r.position IN places
WITH d, problem, r, [one IN risky WHERE one.position = r.position | one.size][0] AS size
OPTIONAL MATCH (r)-[p:PROXIMATE]-(near:Record {dataset: $dataset})
WITH d, problem, r, size, p, near
ORDER BY p.distance, near.position
WITH d, problem, r, size, collect(p) AS pairs, collect(near) AS others
UNWIND CASE WHEN size(others) = 0 THEN [null] ELSE range(0, size(others) - 1) END AS place
WITH d, problem, r, size, place, pairs[place] AS p, others[place] AS near
WHERE place IS NULL OR place < 3
RETURN d, r, p, near, size, problem
ORDER BY size, r.position, place
