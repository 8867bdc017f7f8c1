// title: A Hamming group's id is unique within its dataset
// definition: Community Edition has uniqueness constraints only. Each has an index behind it on Neo4j.
// params: none
// columns: none
// order: none
// reads: nothing
// writes: constraint group_id
// complexity: O(nodes with the label), once
// example: made by ratingpriv ingest; run it by hand in an empty database of your own
CREATE CONSTRAINT group_id IF NOT EXISTS FOR (g:HammingGroup) REQUIRE (g.dataset, g.id) IS UNIQUE
