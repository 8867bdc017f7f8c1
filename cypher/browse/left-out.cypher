// title: Which records are in no clique of a run?
// definition: records that a greedy decomposition could not place [SWLP10, §4.3]
//   At most 299 of them. No row means that there is no such run, that it was broken off, or that the dataset cannot
//   be queried; one row with only the run, that every record is placed.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of complete-run -- name of the run
// columns:
//   run: NODE -- the run, always in the picture
//   w: RELATIONSHIP? -- that the record is in no clique
//   r: NODE? -- the record
// key: r
// facts:
//   r draws at most 299 of partition/members without clique
// order: r (by position)
// reads: Dataset, Record, Run, LEFT_OUT
// writes: nothing
// complexity: O(records left out)
// example: ratingpriv query run browse/left-out --param dataset=survey --param run=a
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (run:Run {dataset: $dataset, run: $run, complete: true})
OPTIONAL MATCH (run)<-[w:LEFT_OUT]-(r:Record {dataset: $dataset})
RETURN run, w, r
ORDER BY r.position
LIMIT 299
