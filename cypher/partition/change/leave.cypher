// title: Changing a run: who was taken out is no member any more
// definition: LEFT_OUT takes the place of MEMBER_OF [SWLP10, §4.4]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/change/open was given
// columns:
//   records: INTEGER -- records that left a clique
// order: none (one row)
// reads: Record, Run, Clique, MEMBER_OF, LEFT_OUT
// writes: MEMBER_OF
// complexity: O(records left out)
// example: ratingpriv query run partition/change/leave --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
MATCH (run)<-[:LEFT_OUT]-(r:Record {dataset: $dataset})-[m:MEMBER_OF]->(:Clique {dataset: $dataset, run: $run})
DELETE m
WITH count(r) AS records
RETURN records
ORDER BY records
