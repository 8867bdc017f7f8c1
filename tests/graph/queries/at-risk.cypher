// title: At risk
// definition: those below k
// params:
//   dataset: STRING -- the dataset's name
//   epsilon: FLOAT -- distance
//   k: INTEGER -- k
// columns:
//   record: ANY -- id
// order: record
// reads: Dataset, Record, PROXIMATE-AT-RISK
// writes: nothing
// complexity: O(records)
// example: for tests
MATCH (r:Record {dataset: $dataset})
WHERE r.atRisk AND $k > 0 AND $epsilon >= 0
RETURN r.id AS record
ORDER BY record
