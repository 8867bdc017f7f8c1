// title: Say how large some Hamming groups are now
// definition: Groups that were there and have more records now
// params:
//   key: STRING -- the dataset's name
//   rows: LIST<MAP> -- id and size
// columns:
//   groups: INTEGER -- groups found
// order: none
// reads: HammingGroup
// writes: HammingGroup
// complexity: O(rows), by the groups' key
// example: part of ratingpriv ingest --append
UNWIND $rows AS row
MATCH (g:HammingGroup {id: row.id, dataset: $key})
SET g += row
RETURN count(g) AS groups
