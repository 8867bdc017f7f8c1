// title: Say that a dataset is complete
// definition: Only after everything was counted
// params:
//   name: STRING -- the dataset's name
//   properties: MAP -- everything the Dataset node says from now on
// columns:
//   name: STRING -- the dataset
// order: none
// reads: Dataset
// writes: Dataset
// complexity: O(1)
// example: part of ratingpriv ingest
MERGE (d:Dataset {name: $name})
SET d += $properties
RETURN d.name AS name
