// title: A run is found by its name
// definition: The embedded engine checks a composite constraint by a scan; it gets only the index, and one process
//   writes at a time.
// params: none
// columns: none
// order: none
// reads: nothing
// writes: index run_key
// complexity: O(nodes with the label), once
// example: made by ratingpriv query run partition/decompose; run it by hand in an empty database of your own
CREATE INDEX run_key IF NOT EXISTS FOR (r:Run) ON (r.run)
