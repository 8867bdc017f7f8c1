// title: Which of these Hamming groups does a dataset have?
// definition: The numbers that are there
// params:
//   dataset: STRING -- name the dataset was ingested under
//   values: LIST<ANY> -- numbers of groups
// columns:
//   value: INTEGER -- a number that is there
// order: value
// reads: HammingGroup
// writes: nothing
// complexity: O(numbers)
// example: ratingpriv query run load/named-groups --param dataset=survey --param values=[0]
UNWIND $values AS value
MATCH (g:HammingGroup {id: value, dataset: $dataset})
RETURN g.id AS value
ORDER BY value
