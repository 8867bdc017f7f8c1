// title: Say that a dataset is not complete any more
// definition: Before its nodes are removed
// params:
//   name: STRING -- the dataset's name
// columns:
//   name: STRING -- the dataset
// order: none
// reads: Dataset
// writes: Dataset
// complexity: O(1)
// example: part of ratingpriv ingest
MATCH (d:Dataset {name: $name})
SET d.complete = false
RETURN d.name AS name
