// title: Greedy decomposition, after the joiners: records that joined are in a clique
// definition: MEMBER_OF takes the place of LEFT_OUT [SWLP10, §4.3]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   records: INTEGER -- records that joined
// order: none (one row)
// reads: Record, Run, LEFT_OUT
// writes: LEFT_OUT
// complexity: O(records) in one transaction
// example: ratingpriv query run partition/decompose/sweep --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
MATCH (run)<-[w:LEFT_OUT {state: 'joined'}]-(r:Record {dataset: $dataset})
DELETE w
WITH count(r) AS records
RETURN records
ORDER BY records
