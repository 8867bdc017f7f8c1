// title: Say that a dataset is not complete any more
// definition: Before its nodes are removed; a load that was adding records to it does not make it complete again
// params:
//   name: STRING -- the dataset's name
// columns:
//   name: STRING -- the dataset
// order: none
// reads: Dataset
// writes: Dataset.complete, Dataset.changing
// complexity: O(1)
// example: part of ratingpriv ingest
MATCH (d:Dataset {name: $name})
SET d.complete = false
REMOVE d.changing
RETURN d.name AS name
