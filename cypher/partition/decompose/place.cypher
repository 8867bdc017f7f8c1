// title: Greedy decomposition, after the seeds: who was taken becomes a member
// definition: MEMBER_OF takes the place of LEFT_OUT [SWLP10, §4.3]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   records: INTEGER -- records placed
// order: none (one row)
// reads: Record, Run, LEFT_OUT, Clique
// writes: MEMBER_OF, LEFT_OUT, Run.statements
// complexity: O(records) in one transaction
// example: ratingpriv query run partition/decompose/place --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
SET run.statements = run.statements + 1
WITH run
MATCH (run)<-[w:LEFT_OUT {state: 'taken'}]-(r:Record {dataset: $dataset})
MATCH (c:Clique {dataset: $dataset, run: $run, id: w.clique})
CREATE (r)-[:MEMBER_OF {turn: w.turn}]->(c)
DELETE w
WITH count(r) AS records
RETURN records
ORDER BY records
