// title: A release is found by its name
// definition: The embedded engine checks a composite constraint by a scan; it gets only the index, and one process
//   writes at a time.
// params: none
// columns: none
// order: none
// reads: nothing
// writes: index release_key
// complexity: O(nodes with the label), once
// example: made by ratingpriv ingest --release-of; run it by hand in an empty database of your own
CREATE INDEX release_key IF NOT EXISTS FOR (x:Release) ON (x.run)
