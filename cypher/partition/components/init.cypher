// title: Connected components, first statement: every record is its own component
// definition: components of the proximity graph restricted to epsilon [SWLP10, §4.4]; a k-decomposition never crosses
//   one
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   run: STRING -- a name for this run, chosen by the caller; the marks on the records carry it
// columns:
//   records: INTEGER -- records marked; 0 means that the dataset cannot answer
// order: none (one row)
// reads: Dataset, Record, PROXIMATE
// writes: Record.component, Record.componentRun
// complexity: O(records) in one transaction.
//   Run by ratingpriv.graph.iterating, which repeats the step until it changes nothing
// example: ratingpriv query run partition/components/init --param dataset=survey --param epsilon=1 --param run=a
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (r:Record {dataset: $dataset})
SET r.component = r.position, r.componentRun = $run
WITH count(r) AS records
RETURN records
ORDER BY records
