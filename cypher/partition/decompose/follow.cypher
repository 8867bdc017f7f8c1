// title: Greedy decomposition, repeated statement: take the component of the record that names yours
// definition: a component is named by a record of it, which may have found a smaller one meanwhile [SWLP10, §4.4]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   changed: INTEGER -- records that took a smaller component; 0 means that partition/decompose/spread may come
// order: none (one row)
// reads: Record, Run, LEFT_OUT
// writes: LEFT_OUT.component
// complexity: O(records) a step, few steps
// example: ratingpriv query run partition/decompose/follow --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
MATCH (run)<-[w:LEFT_OUT]-(:Record {dataset: $dataset})
WITH run, w, w.component AS component
MATCH (:Record {position: component, dataset: $dataset})-[v:LEFT_OUT]->(run)
WHERE v.component < component
WITH w, v.component AS least
SET w.component = least
WITH count(w) AS changed
RETURN changed
ORDER BY changed
