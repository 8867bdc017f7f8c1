// title: Say that a dataset is about to change places with its successor
// definition: A statement beside the change could see some nodes of each; a query waits until it is over
// params:
//   name: STRING -- the dataset's name
//   token: STRING -- the load that is its successor
// columns:
//   name: STRING -- its name
// order: none
// reads: Dataset
// writes: Dataset.changing
// complexity: O(1)
// example: part of ratingpriv ingest
MATCH (d:Dataset {name: $name})
SET d.changing = $token
RETURN d.name AS name
