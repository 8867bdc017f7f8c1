// title: Which Hamming group is every record in?
// definition: its group [SWLZ11, Def. 5.2-5.3] by the number that audit/hamming-groups has. No row at all means no
//   such dataset, or an incomplete one.
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   hamming_group: INTEGER -- number of its group
// key: position
// order: position
// reads: Dataset, Record
// writes: nothing
// complexity: O(records)
// example: ratingpriv query run audit/record-groups --param dataset=survey
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (r:Record {dataset: $dataset})
RETURN r.id AS record, r.position AS position, r.hammingGroup AS hamming_group
ORDER BY position
