// title: A run's name is unique within its dataset
// definition: Community Edition has uniqueness constraints only. Each has an index behind it on Neo4j.
// params: none
// columns: none
// order: none
// reads: nothing
// writes: constraint run_key
// complexity: O(nodes with the label), once
// example: made by ratingpriv query run partition/decompose; run it by hand in an empty database of your own
CREATE CONSTRAINT run_key IF NOT EXISTS FOR (r:Run) REQUIRE (r.dataset, r.run) IS UNIQUE
