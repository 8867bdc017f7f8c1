// title: The cliques of a run, the largest first
// definition: groups of records that are proximate with each other [SWLP10, §4.3].
//   browse/mark-cliques gives each its colour, and docker/parameters.cypher keeps Browser from drawing the pairs as well.
//   At most 24 cliques of at most 11 records each, so that Browser draws at most 289 nodes. No row means that there is
//   no such run, that it was broken off, or that the dataset cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of complete-run -- name of the run
// columns:
//   run: NODE -- the run, always in the picture
//   c: NODE? -- a clique
//   m: RELATIONSHIP? -- that the record is in it
//   r: NODE? -- one of its first eleven records
// key: c, r
// facts:
//   c draws at most 24 of partition/cliques
// order: c (by size, the largest first, then id), r (by position)
// reads: Dataset, Record, Run, Clique, MEMBER_OF
// writes: nothing
// complexity: O(records)
// example: ratingpriv query run browse/cliques --param dataset=survey --param run=a
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (run:Run {dataset: $dataset, run: $run, complete: true})
OPTIONAL MATCH (c:Clique {dataset: $dataset, run: $run})
WITH run, c
ORDER BY c.size DESC, c.id
LIMIT 24
OPTIONAL MATCH (r:Record {dataset: $dataset})-[m:MEMBER_OF]->(c)
WITH run, c, m, r
ORDER BY r.position
WITH run, c, collect(m) AS memberships, collect(r) AS members
WITH run, c, memberships[0..11] AS memberships, members[0..11] AS members
UNWIND CASE WHEN size(members) = 0 THEN [null] ELSE range(0, size(members) - 1) END AS place
RETURN run, c, memberships[place] AS m, members[place] AS r
ORDER BY c.size DESC, c.id, place
