// title: Say that a dataset is complete
// definition: Only after everything was counted
// params:
//   name: STRING -- the dataset's name
//   properties: MAP -- everything the Dataset node says from now on; levels as texts,
//     of which the embedded engine keeps every digit
// columns:
//   name: STRING -- the dataset
// order: none
// reads: Dataset
// writes: Dataset
// complexity: O(1)
// example: part of ratingpriv ingest
MERGE (d:Dataset {name: $name})
SET d += $properties, d.levels = [level IN $properties.levels | toFloat(level)]
RETURN d.name AS name
