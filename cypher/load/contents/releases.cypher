// title: The releases of a dataset, to see whether one was changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
// columns:
//   run: ANY? -- its name
//   properties: MAP -- all that it says
// order: run
// reads: Release
// writes: nothing
// complexity: O(releases)
// example: part of ratingpriv query run --write
MATCH (x:Release {dataset: $key})
RETURN x.run AS run, properties(x) AS properties
ORDER BY run
