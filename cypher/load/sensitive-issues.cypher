// title: The sensitive issues of a dataset
// definition: Their names, in the order of the data, and the labels of nominal ones
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   value: STRING -- the name
//   labels: LIST<STRING>? -- of a nominal issue, what each rating means; null for numbers
// order: position
// reads: Issue
// writes: nothing
// complexity: O(issues)
// example: ratingpriv query run load/sensitive-issues --param dataset=survey
MATCH (s:Issue {dataset: $dataset, sensitive: true})
RETURN s.name AS value, s.labels AS labels
ORDER BY s.position
