// title: The Hamming groups of a dataset, to see whether one was changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
// columns:
//   id: ANY? -- its number
//   properties: MAP -- all that it says
//   members: INTEGER -- how many relationships of this type it has, in whatever direction
// order: id
// reads: HammingGroup, IN_GROUP
// writes: nothing
// complexity: O(records)
// example: part of ratingpriv query run --write
MATCH (g:HammingGroup {dataset: $key})
RETURN g.id AS id, properties(g) AS properties, COUNT { MATCH (g)-[:IN_GROUP]-() } AS members
ORDER BY id
