// title: A record's position is unique within its dataset
// definition: Community Edition has uniqueness constraints only. Each has an index behind it on Neo4j.
// params: none
// columns: none
// order: none
// reads: nothing
// writes: constraint record_position
// complexity: O(nodes with the label), once
// example: made by ratingpriv ingest; run it by hand in an empty database of your own
CREATE CONSTRAINT record_position IF NOT EXISTS FOR (r:Record) REQUIRE (r.dataset, r.position) IS UNIQUE
