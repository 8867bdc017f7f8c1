// title: Ratings
// definition: as they are
// params:
//   dataset: STRING -- the dataset's name
// columns:
//   record: INTEGER -- position
//   issue: STRING -- name
//   sensitive: BOOLEAN -- whether
//   rating: FLOAT -- value
//   timestamp: ANY? -- or null
// order: record, issue
// reads: Dataset, Record, Issue, RATED
// writes: nothing
// complexity: O(ratings)
// example: for tests
MATCH (r:Record {dataset: $dataset})-[p:RATED]->(i:Issue)
RETURN r.position AS record, i.name AS issue, i.sensitive AS sensitive, p.rating AS rating, p.timestamp AS timestamp
ORDER BY record, issue
