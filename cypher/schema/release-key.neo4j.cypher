// title: A release's name is unique within its dataset
// definition: Community Edition has uniqueness constraints only. Each has an index behind it on Neo4j.
// params: none
// columns: none
// order: none
// reads: nothing
// writes: constraint release_key
// complexity: O(nodes with the label), once
// example: made by ratingpriv ingest --release-of; run it by hand in an empty database of your own
CREATE CONSTRAINT release_key IF NOT EXISTS FOR (x:Release) REQUIRE (x.dataset, x.run) IS UNIQUE
