// title: Greedy decomposition, repeated statement: components that touch become one
// definition: the components of the proximity graph [SWLP10, §4.4]; no clique reaches beyond one, so that the components
//   take their turns at the same time. Where two touch, the record that names the one takes the name of the other,
//   which is smaller. Records look at their 16 nearest neighbours; where none of those is of another component, those
//   outside the largest component look at all of theirs. partition/decompose/follow, until it says 0, comes before
//   each step.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   changed: INTEGER -- components that became part of another; 0 means that the seeds may come
// order: none (one row)
// reads: Record, Run, LEFT_OUT
// writes: LEFT_OUT.component
// complexity: O(records + pairs outside the largest component) a step, few steps
// example: ratingpriv query run partition/decompose/spread --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
CALL (run) {
    MATCH (run)<-[w:LEFT_OUT]-(r:Record {dataset: $dataset})
    WITH w.component AS component, r.position AS position
    ORDER BY position
    RETURN collect(component) AS components
}
CALL (run) {
    MATCH (run)<-[w:LEFT_OUT]-(:Record {dataset: $dataset})
    WITH w.component AS component, count(w) AS records
    ORDER BY records DESC, component
    LIMIT 1
    RETURN component AS largest
}
CALL (run, components) {
    MATCH (run)<-[w:LEFT_OUT]-(:Record {dataset: $dataset})
    WHERE any(x IN w.near[..16] WHERE components[x] <> w.component)
    RETURN count(w) AS touching
}
MATCH (run)<-[w:LEFT_OUT]-(:Record {dataset: $dataset})
WHERE touching > 0 OR w.component <> largest
WITH run, w.component AS component, [x IN CASE WHEN touching > 0 THEN w.near[..16] ELSE w.near END
    WHERE components[x] <> w.component | components[x]] AS others
UNWIND others AS other
WITH DISTINCT run, component, other
WITH run, CASE WHEN other < component THEN component ELSE other END AS larger,
     CASE WHEN other < component THEN other ELSE component END AS smaller
WITH run, larger, min(smaller) AS least
MATCH (:Record {position: larger, dataset: $dataset})-[w:LEFT_OUT]->(run)
SET w.component = least
WITH count(w) AS changed
RETURN changed
ORDER BY changed
