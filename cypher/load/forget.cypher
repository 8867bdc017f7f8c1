// title: Remove a Dataset node
// definition: After its nodes were removed
// params:
//   name: STRING -- the dataset's name
// columns: none
// order: none
// reads: Dataset
// writes: Dataset
// complexity: O(1)
// example: part of ratingpriv ingest
MATCH (d:Dataset {name: $name})
DELETE d
