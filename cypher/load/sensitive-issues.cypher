// title: The sensitive issues of a dataset
// definition: Their names, in the order of the data
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   value: STRING -- the name
// order: position
// reads: Issue
// writes: nothing
// complexity: O(issues)
// example: ratingpriv query run load/sensitive-issues --param dataset=survey
MATCH (s:Issue {dataset: $dataset, sensitive: true})
RETURN s.name AS value
ORDER BY s.position
