// title: The (k-1)-core, first statement: every record is in
// definition: the (k-1)-core of the proximity graph is the largest set of records that is (k,epsilon)-anonymous by
//   itself: what is left after the fewest deletions [SWLP10, Thm 1]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   run: STRING -- a name for this run, chosen by the caller; the marks on the records carry it
// columns:
//   records: INTEGER -- records marked; 0 means that the dataset cannot answer
// order: none (one row)
// reads: Dataset, Record, PROXIMATE
// writes: Record.inCore, Record.coreRun
// complexity: O(records) in one transaction.
//   Run by ratingpriv.graph.iterating, which repeats the step until it changes nothing
// example: ratingpriv query run partition/core/init --param dataset=survey --param k=5 --param epsilon=1 --param run=a
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax AND $k >= 1
MATCH (r:Record {dataset: $dataset})
SET r.inCore = true, r.coreRun = $run
WITH count(r) AS records
RETURN records
ORDER BY records
