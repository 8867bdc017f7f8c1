// title: Make some groups within which a release exchanged values
// definition: (:SwapGroup) of the schema, from the private key of a release by swap
// params:
//   released: STRING -- name of the dataset that is the release
//   rows: LIST<MAP> -- id and size of each
// columns:
//   groups: INTEGER -- groups
// order: none
// reads: nothing
// writes: SwapGroup
// complexity: O(rows)
// example: part of ratingpriv ingest
UNWIND $rows AS row
MERGE (g:SwapGroup {id: row.id, dataset: $released})
SET g.size = row.size
RETURN count(g) AS groups
