// title: Count what a release brought
// definition: Released records and links as they are in the store
// params:
//   dataset: STRING -- name of the original dataset
//   released: STRING -- name of the dataset that is the release
// columns:
//   records: INTEGER -- released records
//   links: INTEGER -- links to them
//   linked: INTEGER -- released records with a link
// order: none
// reads: Record, RELEASED_AS
// writes: nothing
// complexity: O(records)
// example: part of ratingpriv ingest
OPTIONAL MATCH (s:ReleasedRecord {dataset: $released})
WITH count(s) AS records
OPTIONAL MATCH (:Record {dataset: $dataset})-[x:RELEASED_AS]->(s:ReleasedRecord {dataset: $released})
RETURN records, count(x) AS links, count(DISTINCT s) AS linked
