// title: Connected components: which record is in which
// definition: components of the proximity graph restricted to epsilon [SWLP10, §4.4]; a k-decomposition never crosses
//   one. No row at all means no such dataset, or one that cannot answer.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   graph: STRING -- the name of the projection; ratingpriv chooses it
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   component: INTEGER -- position of the first record of its component
// key: position
// order: component, position
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(records + pairs) on the projection
// example: ratingpriv query run partition/components --param dataset=survey --param epsilon=1 --param graph=g
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
CALL gds.wcc.stream($graph, {}) YIELD nodeId, componentId
WITH componentId, gds.util.asNode(nodeId) AS r
WITH componentId, min(r.position) AS component, collect(r) AS members
UNWIND members AS r
WITH component, r, count(*) AS once  // new rows: what is sorted below would else keep the whole list for each
RETURN r.id AS record, r.position AS position, component
ORDER BY component, position
