// title: The swap groups of a release are found by its name
// definition: A query about one dataset looks at no other one's groups, however many there are
// params: none
// columns: none
// order: none
// reads: nothing
// writes: index swap_group_dataset
// complexity: O(nodes with the label), once
// example: made by ratingpriv ingest; run it by hand in an empty database of your own
CREATE INDEX swap_group_dataset IF NOT EXISTS FOR (g:SwapGroup) ON (g.dataset)
