// title: Take the marks of browse/mark away
// definition: removes what browse/mark wrote; who is at risk is defined by [SWLZ11, Def. 4.2]
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   records: INTEGER -- records looked at
// order: none (one row)
// reads: Record
// writes: Record:AtRisk, Record:Alone, Record:Few, Record:Several, Record:Many, Record.neighbourhood
// complexity: O(records) in one transaction
// example: ratingpriv query run browse/unmark --param dataset=survey
MATCH (r:Record {dataset: $dataset})
REMOVE r:AtRisk, r:Alone, r:Few, r:Several, r:Many, r.neighbourhood
WITH count(r) AS records
RETURN records
ORDER BY records
