// title: Greedy decomposition, after the seeds: a clique for each that found k records
// definition: the groups of a k-decomposition; MEMBER_OF takes the place of LEFT_OUT [SWLP10, §4.3]. A clique's id is
//   the position of its seed.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   records: INTEGER -- records placed
// order: none (one row)
// reads: Record, Run, LEFT_OUT
// writes: Clique, MEMBER_OF, LEFT_OUT
// complexity: O(records) in one transaction
// example: ratingpriv query run partition/decompose/place --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
MATCH (run)<-[w:LEFT_OUT {state: 'taken'}]-(r:Record {dataset: $dataset})
WITH run, w.clique AS id, w.component AS component, w.made AS made, count(w) AS size, collect(r) AS members,
     min(CASE WHEN r.position = w.clique THEN w.turn END) AS turn
CREATE (c:Clique {dataset: $dataset, run: $run, id: id, size: size, component: component, turn: turn,
    made: coalesce(made, 'greedy')})
WITH run, c, members
UNWIND members AS r
MATCH (r)-[w:LEFT_OUT]->(run)
CREATE (r)-[:MEMBER_OF {turn: w.turn}]->(c)
DELETE w
WITH count(r) AS records
RETURN records
ORDER BY records
