// title: The Hamming groups of a dataset, to see whether one was changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
// columns:
//   id: ANY? -- its number
//   size: ANY? -- how many records it has
//   support: ANY? -- how many issues they rate
//   class: ANY? -- its values of quasi-identifiers
// order: id
// reads: HammingGroup
// writes: nothing
// complexity: O(groups)
// example: part of ratingpriv query run --write
MATCH (g:HammingGroup {dataset: $key})
RETURN g.id AS id, g.size AS size, g.supportSize AS support, g.quasiClass AS class
ORDER BY id
