// title: A record and its neighbourhood, before and after
// definition: the neighbourhood of a record [SWLZ11, Def. 4.1-4.2] in the original, and that of what it was released as
//   [SWLP10, §4.4]. At most 148 neighbours each, the nearest, so that Browser draws at most 298 nodes. No row means an
//   unknown record, no complete release with its key, or that one of the two graphs cannot be queried; no s, that the
//   record was suppressed.
// params:
//   dataset: STRING -- name the original was ingested under
//   run: STRING of linked-release -- name of the release
//   record: ANY of record -- id of the record in the original
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most both datasets' epsilonMax
// columns:
//   t: NODE -- the record
//   l: RELATIONSHIP? -- that it was released
//   s: NODE? -- what it was released as
//   p: RELATIONSHIP? -- that the two are proximate, with the distance
//   near: NODE? -- a record of one of the two neighbourhoods
//   side: STRING -- before or after; each has a row at least
// key: side, near
// order: side (before, after), near (by distance, then position)
// reads: Dataset, Record, PROXIMATE, Release, RELEASED_AS
// writes: nothing
// complexity: O(neighbours)
// example: ratingpriv query run browse/before-after --param dataset=survey --param run=a --param record=t1 --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (x:Release {dataset: $dataset, run: $run, complete: true, linked: true})
MATCH (e:Dataset {name: x.released})
WHERE e.complete AND e.edges = 'all' AND $epsilon <= e.epsilonMax
MATCH (t:Record {dataset: $dataset})
WHERE t.id = $record
OPTIONAL MATCH (t)-[l:RELEASED_AS]->(s:Record {dataset: x.released})
CALL (t, s) {
    OPTIONAL MATCH (t)-[p:PROXIMATE]-(near:Record)
    WHERE p.distance <= $epsilon
    RETURN 0 AS place, p, near
  UNION ALL
    OPTIONAL MATCH (s)-[p:PROXIMATE]-(near:Record)
    WHERE p.distance <= $epsilon
    RETURN 1 AS place, p, near
}
WITH t, l, s, place, p, near
ORDER BY p.distance, near.position
WITH t, l, s, place, collect(p) AS pairs, collect(near) AS others
UNWIND CASE WHEN size(others) = 0 THEN [null] ELSE range(0, size(others) - 1) END AS number
WITH t, l, s, place, number, pairs[number] AS p, others[number] AS near
WHERE number IS NULL OR number < 148
RETURN t, l, s, p, near, CASE WHEN place = 0 THEN 'before' ELSE 'after' END AS side
ORDER BY place, number
LIMIT 296
