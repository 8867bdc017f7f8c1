// title: A swap group is found by its number
// definition: The embedded engine checks a composite constraint by a scan; it gets only the index, and one process
//   writes at a time.
// params: none
// columns: none
// order: none
// reads: nothing
// writes: index swap_group_key
// complexity: O(nodes with the label), once
// example: made by ratingpriv ingest --release-of; run it by hand in an empty database of your own
CREATE INDEX swap_group_key IF NOT EXISTS FOR (g:SwapGroup) ON (g.id)
