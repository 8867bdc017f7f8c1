// title: A clique is found by its id
// definition: The embedded engine checks a composite constraint by a scan; it gets only the index, and one process
//   writes at a time.
// params: none
// columns: none
// order: none
// reads: nothing
// writes: index clique_key
// complexity: O(nodes with the label), once
// example: made by ratingpriv query run partition/decompose; run it by hand in an empty database of your own
CREATE INDEX clique_key IF NOT EXISTS FOR (c:Clique) ON (c.id)
