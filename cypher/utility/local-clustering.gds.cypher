// title: How close is every record's neighbourhood to a clique?
// definition: local clustering coefficient: pairs of neighbours that are proximate themselves, out of all pairs of
//   neighbours; 0 with fewer than two neighbours [SWLP10, §5.4]
//   No row at all means that the dataset cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   graph: STRING -- the name of the projection; ratingpriv chooses it
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   degree: INTEGER -- its neighbours, itself not counted
//   triangles: INTEGER -- pairs of its neighbours that are proximate
//   coefficient: FLOAT -- 2 * triangles / (degree * (degree - 1))
// key: position
// order: position
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(sum of squared degrees) on the projection, on several cores
// example: ratingpriv query run utility/local-clustering --param dataset=survey --param epsilon=1 --param graph=g
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
CALL gds.triangleCount.stream($graph, {}) YIELD nodeId, triangleCount
WITH gds.util.asNode(nodeId) AS r, triangleCount AS triangles
WITH r, triangles, COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } AS degree
RETURN r.id AS record, r.position AS position, degree, triangles,
       CASE WHEN degree < 2 THEN 0.0 ELSE 2.0 * triangles / (degree * (degree - 1)) END AS coefficient
ORDER BY position
