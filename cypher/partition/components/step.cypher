// title: Connected components, repeated statement: take the smallest component of your neighbours
// definition: label passing; a component is named by the position of its first record [SWLP10, §4.4]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   run: STRING -- a name for this run, chosen by the caller; the marks on the records carry it
// columns:
//   changed: INTEGER -- records that took a smaller component; 0 means done
// order: none (one row)
// reads: Record, PROXIMATE
// writes: Record.component
// complexity: O(pairs) a step, at most as many steps as the longest shortest path has pairs; sensible up to some 1
//   million pairs
// example: ratingpriv query run partition/components/step --param dataset=survey --param epsilon=1 --param run=a
MATCH (r:Record {dataset: $dataset, componentRun: $run})-[p:PROXIMATE]-(near:Record {componentRun: $run})
WHERE p.distance <= $epsilon AND near.component < r.component
WITH r, min(near.component) AS least
SET r.component = least
WITH count(r) AS changed
RETURN changed
ORDER BY changed
