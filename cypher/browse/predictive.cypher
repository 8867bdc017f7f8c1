// title: The group that a record was released in, and the ratings that were added to make its members alike
// definition: groups of similar records are released as if each had all ratings of the group [CTWY10, §4.2]. Switch
//   "Connect result nodes" off in Browser's settings: then the edges in the picture are the added ones and no others.
//   At most 40 members and 250 issues, the ones with the most added ratings, so that Browser draws at most 292 nodes. No
//   row means an unknown or suppressed record, no complete release with its key, no such run, or no ratings in the store.
// params:
//   dataset: STRING -- name the original was ingested under, with its ratings
//   run: STRING of linked-release -- name of the release
//   grouping: STRING of release-run -- name of a run of the release: its cliques are the groups
//   record: ANY of record -- id of the record in the original
// columns:
//   t: NODE -- the record
//   l: RELATIONSHIP -- that it was released as a member of the group
//   own: NODE -- what it was released as
//   c: NODE -- the group that it was released in
//   m: RELATIONSHIP -- that the member is in it
//   s: NODE -- a member, as released
//   a: RELATIONSHIP? -- a rating that the member's original does not have
//   i: NODE? -- the issue it is of; null where nothing was added to the member
// key: s, i
// order: i (by added ratings, the most first, then position), s (by position)
// reads: Dataset, Record, RATED, Issue, Release, RELEASED_AS, Run, Clique, MEMBER_OF
// writes: nothing
// complexity: O(ratings of the group * ratings of a record)
// example: ratingpriv query run browse/predictive --param dataset=survey --param run=a --param grouping=groups --param record=t1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (x:Release {dataset: $dataset, run: $run, complete: true, linked: true, ratings: true})
CALL (x) {  // else a planner may look through the runs, and below the cliques, of all datasets
    MATCH (g:Run {dataset: x.released, run: $grouping, complete: true})
    RETURN g
}
MATCH (t:Record {dataset: $dataset})-[l:RELEASED_AS]->(own:Record {dataset: x.released})
WHERE t.id = $record
CALL (x, own) {
    MATCH (own)-[:MEMBER_OF]->(c:Clique {dataset: x.released, run: $grouping})
    RETURN c
}
MATCH (s:Record {dataset: x.released})-[m:MEMBER_OF]->(c)
WITH x, t, l, own, c, m, s
ORDER BY s.position
LIMIT 40
OPTIONAL MATCH (r:Record {dataset: $dataset})-[:RELEASED_AS]->(s)
OPTIONAL MATCH (r)-[:RATED]->(i:Issue {dataset: $dataset, sensitive: false})
WITH x, t, l, own, c, m, s, collect(i.name) AS before
OPTIONAL MATCH (s)-[a:RATED]->(i:Issue {dataset: x.released, sensitive: false})
WHERE NOT i.name IN before
WITH t, l, own, c, i, collect({m: m, s: s, a: a}) AS added, count(a) AS ratings
ORDER BY ratings DESC, i.position
LIMIT 250
UNWIND added AS one
RETURN t, l, own, c, one.m AS m, one.s AS s, one.a AS a, i
ORDER BY ratings DESC, i.position, s.position
