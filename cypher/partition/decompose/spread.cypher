// title: Greedy decomposition, repeated statement: take the smaller component of a neighbour
// definition: label passing over the components of the proximity graph [SWLP10, §4.4]; no clique reaches beyond one,
//   so that the components take their turns at the same time. partition/decompose/follow, until it says 0, comes before
//   each step.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   changed: INTEGER -- records that took a smaller component; 0 means that the seeds may come
// order: none (one row)
// reads: Record, PROXIMATE, Run, LEFT_OUT
// writes: LEFT_OUT.component
// complexity: O(pairs) a step, few steps
// example: ratingpriv query run partition/decompose/spread --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
WITH run, run.epsilon AS epsilon
MATCH (run)<-[w:LEFT_OUT]-(r:Record {dataset: $dataset})-[p:PROXIMATE]->(near:Record)-[v:LEFT_OUT]->(run)
WHERE p.distance <= epsilon AND v.component <> w.component
WITH run, CASE WHEN v.component < w.component THEN r ELSE near END AS larger,
     CASE WHEN v.component < w.component THEN v.component ELSE w.component END AS component
WITH run, larger, min(component) AS least
MATCH (larger)-[w:LEFT_OUT]->(run)
SET w.component = least
WITH count(w) AS changed
RETURN changed
ORDER BY changed
