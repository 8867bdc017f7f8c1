// title: The (k-1)-core, cleaning up: take the marks off the records
// definition: removes what partition/core/init and step wrote [SWLP10, Thm 1]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING -- a name for this run, chosen by the caller; the marks on the records carry it
// columns:
//   records: INTEGER -- records cleaned
// order: none (one row)
// reads: Record
// writes: Record.inCore, Record.coreRun
// complexity: O(records) in one transaction
// example: ratingpriv query run partition/core/clear --param dataset=survey --param run=a
MATCH (r:Record {dataset: $dataset, coreRun: $run})
REMOVE r.inCore, r.coreRun
WITH count(r) AS records
RETURN records
ORDER BY records
