// title: Add Hamming groups
// definition: Maximal Hamming groups [SWLZ11, Def. 5.3]
// params:
//   key: STRING -- what the load's nodes have as their dataset property: the dataset's name, or a private key
//   rows: LIST<MAP> -- id, size, supportSize
// columns:
//   created: INTEGER -- groups added
// order: none
// reads: nothing
// writes: HammingGroup
// complexity: O(rows)
// example: part of ratingpriv ingest
UNWIND $rows AS row
CREATE (g:HammingGroup {dataset: $key, id: row.id, size: row.size, supportSize: row.supportSize})
RETURN count(g) AS created
