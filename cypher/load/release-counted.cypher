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
OPTIONAL MATCH (s:Record {dataset: $released})
OPTIONAL MATCH (:Record {dataset: $dataset})-[x:RELEASED_AS]->(s)
WITH s, count(x) AS links
WHERE s:ReleasedRecord
RETURN count(s) AS records, coalesce(sum(links), 0) AS links, count(CASE WHEN links > 0 THEN 1 END) AS linked
