// title: The issues of a dataset, to see whether one was changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
// columns:
//   position: ANY? -- its place
//   properties: MAP -- all that it says
//   ratings: INTEGER -- how many relationships of this type it has, in whatever direction
// order: position
// reads: Issue, RATED
// writes: nothing
// complexity: O(ratings)
// example: part of ratingpriv query run --write
MATCH (i:Issue {dataset: $key})
RETURN i.position AS position, properties(i) AS properties, COUNT { MATCH (i)-[:RATED]-() } AS ratings
ORDER BY position
