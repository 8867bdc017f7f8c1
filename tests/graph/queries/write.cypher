// title: Mark every record
// definition: a write
// params:
//   dataset: STRING -- the dataset's name
// columns:
//   marked: INTEGER -- records
// order: none
// reads: Record
// writes: Record.marked
// complexity: O(records)
// example: for tests
MATCH (r:Record {dataset: $dataset})
SET r.marked = true
RETURN count(r) AS marked
