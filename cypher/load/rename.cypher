// title: Move all nodes of one key to another
// definition: Part of the one step in which a dataset takes the place of another
// params:
//   key: STRING -- the dataset property that the nodes have
//   to: STRING -- the one that they get
// columns:
//   moved: INTEGER -- nodes
// order: none
// reads: every node
// writes: the property dataset
// complexity: O(nodes of the store)
// example: part of ratingpriv ingest
MATCH (n)
WHERE n.dataset = $key
SET n.dataset = $to
RETURN count(n) AS moved
