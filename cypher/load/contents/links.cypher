// title: Which record was released as which, to see whether that was changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
// columns:
//   position: ANY? -- place of the record
//   released: ANY? -- the dataset of what it became
//   place: ANY? -- and its place there
//   properties: MAP -- all that the relationship says
// order: released, position, place
// reads: Record, RELEASED_AS
// writes: nothing
// complexity: O(records of the releases)
// example: part of ratingpriv query run --write
MATCH (r:Record {dataset: $key})
CALL (r) {  // else a planner may look through all such relationships
    MATCH (r)-[l:RELEASED_AS]->(s:Record)
    RETURN l, s
}
RETURN r.position AS position, s.dataset AS released, s.position AS place, properties(l) AS properties
ORDER BY released, position, place
