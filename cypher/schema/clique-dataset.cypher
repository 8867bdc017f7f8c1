// title: The cliques of a dataset are found by its name
// definition: A query about one dataset looks at no other one's cliques, however many there are
// params: none
// columns: none
// order: none
// reads: nothing
// writes: index clique_dataset
// complexity: O(nodes with the label), once
// example: made by ratingpriv ingest; run it by hand in an empty database of your own
CREATE INDEX clique_dataset IF NOT EXISTS FOR (c:Clique) ON (c.dataset)
