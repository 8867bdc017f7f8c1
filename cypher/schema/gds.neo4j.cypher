// title: Can this server count in memory by Graph Data Science?
// definition: Whether this user may call every procedure that the texts for the engine gds call
// params: none
// columns:
//   complete: BOOLEAN -- whether all of them are there
// order: none (one row)
// reads: nothing
// writes: nothing
// complexity: O(1)
// example: part of ratingpriv query run
SHOW PROCEDURES EXECUTABLE YIELD name
WHERE name IN [
    'gds.graph.drop', 'gds.graph.list', 'gds.kcore.stream', 'gds.localClusteringCoefficient.stats',
    'gds.triangleCount.stats', 'gds.triangleCount.stream', 'gds.wcc.stream'
]
RETURN count(name) = 7 AS complete
