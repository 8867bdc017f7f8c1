// title: A release is found by the dataset that it was loaded as
// definition: The process that replaces or removes that dataset marks the release
// params: none
// columns: none
// order: none
// reads: nothing
// writes: index release_released
// complexity: O(nodes with the label), once
// example: made by ratingpriv ingest; run it by hand in an empty database of your own
CREATE INDEX release_released IF NOT EXISTS FOR (x:Release) ON (x.released)
