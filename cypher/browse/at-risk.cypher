// title: Which records are at risk, and why?
// definition: the records with |N(t)| < k [SWLZ11, Def. 4.2], each with the nearest 9 of its neighbourhood and the 3 closest
//   beyond epsilon: by the lines that browse/mark-reasons has drawn for this epsilon, which name the items that separate those
//   away, else by the pairs that were loaded. Where the dataset has quasi-identifiers, a record's property quasiValues
//   says its values; quasi/at-risk lists them.
//   At most 20 records at risk, so that Browser draws at most 261 nodes; audit/degree-violators lists all.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   d: NODE? -- the dataset, where no record is drawn
//   r: NODE? -- a record at risk
//   p: RELATIONSHIP? -- WITHIN or BEYOND, or else the pair with one of the closest
//   near: NODE? -- one of the closest
//   size: INTEGER? -- records in its neighbourhood at epsilon, itself included
//   at_risk: INTEGER? -- how many records are at risk, those beyond the first 20 included
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: r, near
// facts:
//   r draws at most 20 of audit/degree-violators
//   at_risk counts audit/degree-violators
// order: size, r (by position), near (by rank or distance, then position)
// reads: Dataset, Record, PROXIMATE-AT-RISK, WITHIN, BEYOND
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
WITH d, problem, position, size
ORDER BY size, position
WITH d, problem, count(position) AS at_risk, collect({position: position, size: size}) AS risky
WITH d, problem, CASE WHEN problem IS NULL THEN at_risk END AS at_risk, risky[0..20] AS risky
OPTIONAL MATCH (r:Record {dataset: $dataset})
WHERE r.position IN [x IN risky | x.position]
WITH d, problem, at_risk, r, [x IN risky WHERE x.position = r.position | x.size][0] AS size
CALL (r) {  // each its own: behind an optional match one of the stores would look at all pairs
    MATCH (r)-[reason:WITHIN|BEYOND]->(:Record {dataset: $dataset})
    WHERE reason.epsilon = $epsilon
    RETURN count(reason) AS reasons
}
CALL (r, reasons) {
    MATCH (r)-[p:PROXIMATE|WITHIN|BEYOND]-(near:Record {dataset: $dataset})
    WHERE CASE WHEN reasons = 0 THEN type(p) = 'PROXIMATE' ELSE startNode(p) = r AND p.epsilon = $epsilon END
    WITH p, near
    ORDER BY coalesce(p.rank, p.distance), near.position
    RETURN collect(p) AS pairs, collect(near) AS others, collect(coalesce(p.distance <= $epsilon, false)) AS within
}
WITH d, problem, at_risk, r, size, pairs, others, [x IN range(0, size(within) - 1) WHERE within[x]][0..9]
     + [x IN range(0, size(within) - 1) WHERE NOT within[x]][0..3] AS places
UNWIND CASE WHEN size(places) = 0 THEN [null] ELSE places END AS place
WITH problem, at_risk, r, size, pairs, others, place
OPTIONAL MATCH (d:Dataset {name: $dataset})
WHERE r IS NULL
RETURN d, r, pairs[place] AS p, others[place] AS near, size, at_risk, problem
ORDER BY size, r.position, place
