// title: Is anything in a load twice?
// definition: Keys of the schema, counted: (dataset, id), (dataset, position) and (dataset, name) are unique
// params:
//   key: STRING -- what the load's nodes have as their dataset property: the dataset's name, or a private key
// columns:
//   records: INTEGER -- distinct record ids
//   positions: INTEGER -- distinct record positions
//   issues: INTEGER -- distinct issue names
// order: none
// reads: Record, Issue
// writes: nothing
// complexity: O(records)
// example: part of ratingpriv ingest
OPTIONAL MATCH (i:Issue {dataset: $key})
WITH count(DISTINCT i.name) AS issues
OPTIONAL MATCH (r:Record {dataset: $key})
RETURN count(DISTINCT r.id) AS records, count(DISTINCT r.position) AS positions, issues
