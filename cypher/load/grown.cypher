// title: Say that no more records are being added to a dataset
// definition: Takes back what load/grow wrote for this load: after the last statement of it, or after it was taken back
// params:
//   name: STRING -- the dataset's name
//   token: STRING -- the load that added them
// columns:
//   name: STRING -- its name
// order: none
// reads: Dataset
// writes: Dataset.complete, Dataset.changing
// complexity: O(1)
// example: part of ratingpriv ingest --append
MATCH (d:Dataset {name: $name})
WHERE d.changing = $token
SET d.complete = true
REMOVE d.changing
RETURN d.name AS name
