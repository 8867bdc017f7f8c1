// title: The records of a dataset, to see whether one was changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
// columns:
//   id: ANY? -- id of the record
//   position: ANY? -- its place in the data
//   group: ANY? -- number of its Hamming group
//   sizes: ANY? -- how large its neighbourhood is, level by level
//   at_risk: ANY? -- whether |N(t)| < k
//   code: ANY? -- values of its quasi-identifiers
//   least: ANY? -- the least that its rules allow
//   most: ANY? -- the most
//   memberships: INTEGER -- Hamming groups that it is in
// order: position, id
// reads: Record, HammingGroup, IN_GROUP
// writes: nothing
// complexity: O(records)
// example: part of ratingpriv query run --write
MATCH (r:Record {dataset: $key})
OPTIONAL MATCH (r)-[m:IN_GROUP]->(g:HammingGroup {dataset: $key})
WHERE g.id = r.hammingGroup
WITH r, count(m) AS memberships
RETURN r.id AS id, r.position AS position, r.hammingGroup AS group, r.sizes AS sizes, r.atRisk AS at_risk,
    r.quasiCode AS code, r.quasiLeast AS least, r.quasiMost AS most, memberships
ORDER BY position, id
