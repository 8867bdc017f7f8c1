// title: Connected components, cleaning up: take the marks off the records
// definition: removes what partition/components/init and step wrote [SWLP10, §4.4]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING -- a name for this run, chosen by the caller; the marks on the records carry it
// columns:
//   records: INTEGER -- records cleaned
// order: none (one row)
// reads: Record
// writes: Record.component, Record.componentRun
// complexity: O(records) in one transaction
// example: ratingpriv query run partition/components/clear --param dataset=survey --param run=a
MATCH (r:Record {dataset: $dataset, componentRun: $run})
REMOVE r.component, r.componentRun
WITH count(r) AS records
RETURN records
ORDER BY records
