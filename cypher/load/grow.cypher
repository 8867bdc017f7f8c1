// title: Announce that records are being added to a dataset
// definition: The dataset has complete: false, and the name of the change, until its last batch was counted
// params:
//   name: STRING -- the dataset's name
//   token: STRING -- the load that adds them
//   fingerprint: STRING -- that of the dataset to which they are added
// columns:
//   name: STRING -- the dataset; no row where it is another, or not complete
// order: none
// reads: Dataset
// writes: Dataset.complete, Dataset.changing
// complexity: O(1)
// example: part of ratingpriv ingest --append
MATCH (d:Dataset {name: $name})
SET d.name = $name  // takes the node's lock, so that what follows is as it is now
WITH d
WHERE d.complete = true AND d.changing IS NULL AND d.fingerprint = $fingerprint
SET d.complete = false, d.changing = $token
RETURN d.name AS name
