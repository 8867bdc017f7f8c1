// title: Say that a dataset has changed places with its successor, or did not
// definition: Takes back what load/changing wrote for this load
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
WHERE d.changing = $token
REMOVE d.changing
RETURN d.name AS name
