// title: Groups of the records of a release by swap, to see whether they were changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
// columns:
//   id: ANY? -- number of the group
//   dataset: ANY? -- the dataset of a member
//   position: ANY? -- and its place there
//   properties: MAP -- all that the group says
// order: id, dataset, position
// reads: Record, SwapGroup, SWAPPED_IN
// writes: nothing
// complexity: O(records of the release)
// example: part of ratingpriv query run --write
MATCH (g:SwapGroup {dataset: $key})
OPTIONAL MATCH (g)<-[:SWAPPED_IN]-(r:Record)
RETURN g.id AS id, r.dataset AS dataset, r.position AS position, properties(g) AS properties
ORDER BY id, dataset, position
