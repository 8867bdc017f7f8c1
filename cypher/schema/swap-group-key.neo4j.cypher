// title: A swap group's number is unique within its release
// definition: Community Edition has uniqueness constraints only. Each has an index behind it on Neo4j.
// params: none
// columns: none
// order: none
// reads: nothing
// writes: constraint swap_group_key
// complexity: O(nodes with the label), once
// example: made by ratingpriv ingest --release-of; run it by hand in an empty database of your own
CREATE CONSTRAINT swap_group_key IF NOT EXISTS FOR (g:SwapGroup) REQUIRE (g.dataset, g.id) IS UNIQUE
