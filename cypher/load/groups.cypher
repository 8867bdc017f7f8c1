// title: Add Hamming groups
// definition: Maximal Hamming groups [SWLZ11, Def. 5.3]
// params:
//   key: STRING -- what the load's nodes have as their dataset property: the dataset's name, or a private key
//   rows: LIST<MAP> -- id, size, supportSize and, where there are quasi-identifiers, the values that its records share
// columns:
//   created: INTEGER -- groups added
// order: none
// reads: nothing
// writes: HammingGroup
// complexity: O(rows)
// example: part of ratingpriv ingest
UNWIND $rows AS row
CREATE (g:HammingGroup {dataset: $key})
SET g += row
RETURN count(g) AS created
