// title: Components that are cliques, repeated statement: each with k records is one group
// definition: a component whose records are all proximate with each other is a clique [SWLP10, §4.3]; taken whole it
//   is the group that a release was made in, where no record of another group is proximate with a record in it. All other
//   records are left out. In place of partition/decompose/seed.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   changed: INTEGER -- records that had their turn; 0 means that all had
// order: none (one row)
// reads: Record, Run, LEFT_OUT
// writes: LEFT_OUT.state, LEFT_OUT.clique, LEFT_OUT.made, LEFT_OUT.near
// complexity: O(records) in one transaction
// example: ratingpriv query run partition/decompose/whole --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
MATCH (run)<-[w:LEFT_OUT {state: 'waiting'}]-(:Record {dataset: $dataset})
WITH run.k AS k, w.component AS component, collect(w) AS members, count(w) AS size, min(size(w.near)) AS least
WITH component, members, CASE WHEN size >= k AND least = size - 1 THEN 'taken' ELSE 'left' END AS state
UNWIND members AS w
SET w.state = state, w.clique = CASE WHEN state = 'taken' THEN component END, w.made = 'whole', w.near = null
WITH count(w) AS changed
RETURN changed
ORDER BY changed
