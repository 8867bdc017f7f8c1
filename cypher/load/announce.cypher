// title: Announce a dataset that is being loaded for the first time
// definition: It says complete: false until its last batch was counted; one that is there stays as it is
// params:
//   name: STRING -- the dataset's name
//   properties: MAP -- everything else that the Dataset node says; levels as texts,
//     of which the embedded engine keeps every digit
// columns:
//   complete: BOOLEAN -- whether the dataset was there already, complete
// order: none
// reads: Dataset
// writes: Dataset
// complexity: O(1)
// example: part of ratingpriv ingest
MERGE (d:Dataset {name: $name})
ON CREATE SET d += $properties, d.complete = false, d.levels = [level IN $properties.levels | toFloat(level)]
RETURN d.complete AS complete
