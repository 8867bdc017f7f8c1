// title: A Hamming group's id is unique within its dataset
// definition: The embedded engine checks a composite constraint by a scan, which makes a load quadratic; it gets the index
//   only, and the load itself counts that nothing is there twice.
// params: none
// columns: none
// order: none
// reads: nothing
// writes: index group_id
// complexity: O(nodes with the label), once
// example: made by ratingpriv ingest; run it by hand in an empty database of your own
CREATE INDEX group_id IF NOT EXISTS FOR (g:HammingGroup) ON (g.id)
