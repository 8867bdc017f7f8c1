// title: Add issues
// definition: (:Issue {dataset, name, position, sensitive}) of the schema
// params:
//   key: STRING -- what the load's nodes have as their dataset property: the dataset's name, or a private key
//   rows: LIST<MAP> -- name, position, sensitive
// columns:
//   created: INTEGER -- issues added
// order: none
// reads: nothing
// writes: Issue
// complexity: O(rows)
// example: part of ratingpriv ingest
UNWIND $rows AS row
CREATE (i:Issue {dataset: $key, name: row.name, position: row.position, sensitive: row.sensitive})
RETURN count(i) AS created
