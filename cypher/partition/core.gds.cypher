// title: The (k-1)-core: which records stay, which have to go
// definition: deleting the records outside the (k-1)-core is the smallest deletion that makes the rest
//   (k,epsilon)-anonymous [SWLP10, Thm 1]. No row at all means no such dataset, or one that cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   graph: STRING -- the name of the projection; ratingpriv chooses it
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   in_core: BOOLEAN -- whether it stays
// key: position
// order: position
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(records + pairs) on the projection
// example: ratingpriv query run partition/core --param dataset=survey --param k=5 --param epsilon=1 --param graph=g
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
CALL gds.kcore.stream($graph, {}) YIELD nodeId, coreValue
WITH gds.util.asNode(nodeId) AS r, coreValue
RETURN r.id AS record, r.position AS position, coreValue >= $k - 1 AS in_core
ORDER BY position
