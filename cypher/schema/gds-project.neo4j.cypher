// title: Project a dataset's graph into the server's memory
// definition: every record, and every pair within epsilon [SWLZ11, Def. 4.1], in both directions. To run this is to run
//   schema/gds-drop in the end, whatever comes between
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   graph: STRING -- a name that no other projection has
// columns:
//   records: INTEGER -- records projected; no row means that the dataset has none or cannot be queried
// order: none (one row at most)
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(records + pairs) in time and in the server's memory
// example: part of ratingpriv query run
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (r:Record {dataset: $dataset})
OPTIONAL MATCH (r)-[p:PROXIMATE]->(near:Record)
WHERE p.distance <= $epsilon
WITH gds.graph.project($graph, r, near, {}, {undirectedRelationshipTypes: ['*']}) AS made
WHERE made IS NOT NULL
RETURN made.nodeCount AS records
ORDER BY records
