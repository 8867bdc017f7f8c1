// title: Which record is in which clique of a run, and which is in none
// definition: the partition that a run found [SWLP10, §4.3]; records in no clique make it none
//   No row at all means that there is no such run, that it was broken off, or that the dataset cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of complete-run -- name of the run
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   clique: INTEGER? -- id of its clique; null where no clique could take it
//   component: INTEGER? -- position of the first record of its component
// key: position
// order: position
// reads: Dataset, Record, Run, LEFT_OUT, Clique, MEMBER_OF
// writes: nothing
// complexity: O(records)
// example: ratingpriv query run partition/members --param dataset=survey --param run=a
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (run:Run {dataset: $dataset, run: $run, complete: true})
MATCH (r:Record {dataset: $dataset})
OPTIONAL MATCH (r)-[:MEMBER_OF]->(c:Clique {dataset: $dataset, run: $run})
OPTIONAL MATCH (r)-[w:LEFT_OUT]->(run)
RETURN r.id AS record, r.position AS position, c.id AS clique, coalesce(c.component, w.component) AS component
ORDER BY position
