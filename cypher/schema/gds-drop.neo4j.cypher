// title: Drop a projection
// definition: Nothing of it is left in the server's memory; the dataset is as it was
// params:
//   graph: STRING -- the name it was projected under
// columns:
//   dropped: INTEGER -- how many there were, 0 or 1
// order: none (one row)
// reads: nothing
// writes: nothing
// complexity: O(1)
// example: part of ratingpriv query run
CALL gds.graph.drop($graph, false) YIELD graphName
WITH count(graphName) AS dropped
RETURN dropped
ORDER BY dropped
