// title: A clique's id is unique within its run
// definition: Community Edition has uniqueness constraints only. Each has an index behind it on Neo4j.
// params: none
// columns: none
// order: none
// reads: nothing
// writes: constraint clique_key
// complexity: O(nodes with the label), once
// example: made by ratingpriv query run partition/decompose; run it by hand in an empty database of your own
CREATE CONSTRAINT clique_key IF NOT EXISTS FOR (c:Clique) REQUIRE (c.dataset, c.run, c.id) IS UNIQUE
