// title: Changing a run: records taken out are no longer members
// definition: LEFT_OUT takes the place of MEMBER_OF [SWLP10, §4.4]. A clique that its first member leaves is named by
//   the position of another one.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/change/open was given
// columns:
//   records: INTEGER -- records that left a clique
// order: none (one row)
// reads: Record, Run, Clique, MEMBER_OF, LEFT_OUT
// writes: MEMBER_OF, Clique.id, Clique.size
// complexity: O(records left out)
// example: ratingpriv query run partition/change/leave --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
MATCH (run)<-[:LEFT_OUT]-(r:Record {dataset: $dataset})-[m:MEMBER_OF]->(c:Clique {dataset: $dataset, run: $run})
DELETE m
WITH c, collect(r.position) AS left
CALL (c, left) {
    MATCH (a:Record {dataset: $dataset})-[:MEMBER_OF]->(c)
    WHERE NOT a.position IN left
    RETURN min(a.position) AS other
}
SET c.size = c.size - size(left), c.id = CASE WHEN c.id IN left THEN coalesce(other, c.id) ELSE c.id END
WITH coalesce(sum(size(left)), 0) AS records
RETURN records
ORDER BY records
