// title: Nodes, relationships and paths
// definition: as a store gives them
// params:
//   dataset: STRING -- the dataset's name
// columns:
//   node: NODE -- a
//   relationship: RELATIONSHIP -- p
//   both: LIST<NODE> -- a and b
//   path: PATH -- all of it
// order: none
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(1)
// example: for tests
MATCH path = (a:Record {dataset: $dataset})-[p:PROXIMATE]->(b:Record)
WITH path, a, p, b
ORDER BY a.position, b.position
LIMIT 1
RETURN a AS node, p AS relationship, [a, b] AS both, path AS path
