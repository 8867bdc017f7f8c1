// title: Where records, groups and issues are in the embedded engine
// definition: Positions and ids against the engine's own node numbers, which its batch interface takes
// params:
//   key: STRING -- what the load's nodes have as their dataset property: the dataset's name, or a private key
// columns:
//   kind: STRING -- Record, HammingGroup or Issue
//   place: INTEGER -- position, or a group's id
//   node: INTEGER -- the engine's number
//   parent: INTEGER? -- a record's Hamming group
// order: kind, place
// reads: Record, HammingGroup, Issue
// writes: nothing
// complexity: O(records)
// example: part of ratingpriv ingest
MATCH (r:Record {dataset: $key})
RETURN 'Record' AS kind, r.position AS place, id(r) AS node, r.hammingGroup AS parent
UNION ALL
MATCH (g:HammingGroup {dataset: $key})
RETURN 'HammingGroup' AS kind, g.id AS place, id(g) AS node, null AS parent
UNION ALL
MATCH (i:Issue {dataset: $key})
RETURN 'Issue' AS kind, i.position AS place, id(i) AS node, null AS parent
