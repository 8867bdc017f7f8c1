// title: Records
// definition: as they are
// params:
//   dataset: STRING -- the dataset's name
// columns:
//   record: ANY -- id
//   position: INTEGER -- place
//   hamming_group: INTEGER -- group
//   size: INTEGER -- of the group
//   at_risk: BOOLEAN? -- or null
// order: position
// reads: Dataset, Record, HammingGroup, IN_GROUP
// writes: nothing
// complexity: O(records)
// example: for tests
MATCH (r:Record {dataset: $dataset})-[:IN_GROUP]->(g:HammingGroup)
RETURN r.id AS record, r.position AS position, r.hammingGroup AS hamming_group, g.size AS size, r.atRisk AS at_risk
ORDER BY position
