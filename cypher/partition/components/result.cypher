// title: Connected components, last statement: which record is in which component
// definition: components of the proximity graph restricted to epsilon [SWLP10, §4.4]
//   No row at all means that the run is not finished or was disturbed, or that the dataset cannot answer.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   run: STRING -- a name for this run, chosen by the caller; the marks on the records carry it
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   component: INTEGER -- position of the first record of its component
// key: position
// order: component, position
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(records + pairs): it checks that the steps have come to an end
// example: ratingpriv query run partition/components/result --param dataset=survey --param epsilon=1 --param run=a
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
OPTIONAL MATCH (other:Record {dataset: $dataset})
WITH d, count(CASE WHEN coalesce(other.componentRun <> $run, true) THEN other END) AS unmarked
OPTIONAL MATCH (a:Record {dataset: $dataset})-[p:PROXIMATE]->(b:Record)
WHERE p.distance <= $epsilon AND a.component <> b.component
WITH d, unmarked, count(p) AS open
WHERE unmarked = 0 AND open = 0
MATCH (r:Record {dataset: $dataset})
RETURN r.id AS record, r.position AS position, r.component AS component
ORDER BY component, position
