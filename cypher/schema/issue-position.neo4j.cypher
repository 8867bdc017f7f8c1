// title: An issue's position is unique within its dataset
// definition: Community Edition has uniqueness constraints only. Each has an index behind it on Neo4j.
// params: none
// columns: none
// order: none
// reads: nothing
// writes: constraint issue_position
// complexity: O(nodes with the label), once
// example: made by ratingpriv ingest; run it by hand in an empty database of your own
CREATE CONSTRAINT issue_position IF NOT EXISTS FOR (i:Issue) REQUIRE (i.dataset, i.position) IS UNIQUE
