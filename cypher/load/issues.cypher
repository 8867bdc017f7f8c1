// title: Add issues
// definition: (:Issue {dataset, name, position, sensitive, labels}) of the schema
// params:
//   key: STRING -- what the load's nodes have as their dataset property: the dataset's name, or a private key
//   rows: LIST<MAP> -- name, position, sensitive and, for a nominal issue, labels
// columns:
//   created: INTEGER -- issues added
// order: none
// reads: nothing
// writes: Issue
// complexity: O(rows)
// example: part of ratingpriv ingest
UNWIND $rows AS row
CREATE (i:Issue {dataset: $key})
SET i += row
RETURN count(i) AS created
