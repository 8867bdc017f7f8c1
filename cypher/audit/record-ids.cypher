// title: The records of a dataset
// definition: ids and positions; what is said of a record elsewhere [SWLZ11, Def. 4.1] is said of one of these
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
// key: position
// order: position
// reads: Dataset, Record
// writes: nothing
// complexity: O(records)
// example: ratingpriv query run audit/record-ids --param dataset=survey
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (r:Record {dataset: $dataset})
RETURN r.id AS record, r.position AS position
ORDER BY position
