// title: Greedy decomposition, repeated statement: take the smallest component of your neighbours
// definition: label passing over the components of the proximity graph [SWLP10, §4.4]; no clique reaches beyond one,
//   so that the components take their turns at the same time
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   changed: INTEGER -- records that took a smaller component; 0 means that the seeds may come
// order: none (one row)
// reads: Record, PROXIMATE, Run, LEFT_OUT
// writes: LEFT_OUT.component, Run.statements
// complexity: O(pairs) a step, at most as many steps as the longest shortest path has pairs
// example: ratingpriv query run partition/decompose/spread --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
SET run.statements = run.statements + 1
WITH run, run.epsilon AS epsilon
MATCH (run)<-[w:LEFT_OUT]-(r:Record {dataset: $dataset})-[p:PROXIMATE]-(near:Record)-[v:LEFT_OUT]->(run)
WHERE p.distance <= epsilon AND v.component < w.component
WITH w, min(v.component) AS least
SET w.component = least
WITH count(w) AS changed
RETURN changed
ORDER BY changed
