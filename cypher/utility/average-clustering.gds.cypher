// title: Average clustering coefficient of the proximity graph
// definition: the mean of the local clustering coefficients over all records, those with fewer than two neighbours
//   counted as 0 [SWLP10, §5.4]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   graph: STRING -- the name of the projection; ratingpriv chooses it
// columns:
//   records: INTEGER -- records looked at
//   pairs: INTEGER -- proximate pairs
//   triangles: INTEGER -- triples of records that are proximate with each other
//   coefficient: FLOAT -- the mean
// order: none (one row, or none where the dataset has no records or cannot be queried)
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(sum of squared degrees) on the projection, on several cores
// example: ratingpriv query run utility/average-clustering --param dataset=survey --param epsilon=1 --param graph=g
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
CALL gds.graph.list($graph) YIELD relationshipCount AS ends
CALL gds.triangleCount.stats($graph, {}) YIELD globalTriangleCount
CALL gds.localClusteringCoefficient.stats($graph, {}) YIELD nodeCount, averageClusteringCoefficient
RETURN nodeCount AS records, ends / 2 AS pairs, globalTriangleCount AS triangles,
       averageClusteringCoefficient AS coefficient
ORDER BY records
