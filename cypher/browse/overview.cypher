// title: A dataset at a glance: its largest Hamming groups, a few records of each
// definition: Hamming groups [SWLZ11, Def. 5.2-5.3]: where epsilon is below the scale's maximum, a neighbourhood
//   never leaves one
//   At most 40 groups, so that Browser draws at most 281 nodes. No row means no such dataset; one row with only the
//   dataset, one that holds nothing (look at its complete).
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   d: NODE -- the dataset, always in the picture
//   g: NODE? -- a Hamming group
//   i: RELATIONSHIP? -- that the record is in it
//   r: NODE? -- one of its first six records
// key: g, r
// facts:
//   g draws at most 40 of audit/hamming-groups
// order: g (by size, the largest first, then number), r (by position)
// reads: Dataset, Record, HammingGroup, IN_GROUP
// writes: nothing
// complexity: O(records)
// example: ratingpriv query run browse/overview --param dataset=survey
MATCH (d:Dataset {name: $dataset})
OPTIONAL MATCH (g:HammingGroup {dataset: $dataset})
WITH d, g
ORDER BY g.size DESC, g.id
LIMIT 40
OPTIONAL MATCH (r:Record {dataset: $dataset})-[i:IN_GROUP]->(g)
WITH d, g, i, r
ORDER BY r.position
WITH d, g, collect(i) AS memberships, collect(r) AS members
WITH d, g, memberships[0..6] AS memberships, members[0..6] AS members
UNWIND CASE WHEN size(members) = 0 THEN [null] ELSE range(0, size(members) - 1) END AS place
RETURN d, g, memberships[place] AS i, members[place] AS r
ORDER BY g.size DESC, g.id, place
