// title: A label that no node has
// definition: a server remarks on it
// params: none
// columns:
//   nodes: INTEGER -- none
// order: none
// reads: NoSuchLabel
// writes: nothing
// complexity: O(1)
// example: for tests
MATCH (n:NoSuchLabel)
RETURN count(n.noSuchProperty) AS nodes
