// title: The issues of a dataset, to see whether one was changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
// columns:
//   name: ANY? -- its name
//   position: ANY? -- its place
//   sensitive: ANY? -- whether it is sensitive
//   labels: ANY? -- what its ratings mean
// order: position, name
// reads: Issue
// writes: nothing
// complexity: O(issues)
// example: part of ratingpriv query run --write
MATCH (i:Issue {dataset: $key})
RETURN i.name AS name, i.position AS position, i.sensitive AS sensitive, i.labels AS labels
ORDER BY position, name
