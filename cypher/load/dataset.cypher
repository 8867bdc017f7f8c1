// title: One dataset and how it was loaded
// definition: The Dataset node as it is; no row where there is none
// params:
//   name: STRING -- the dataset's name
// columns:
//   dataset: MAP -- all properties of the Dataset node
// order: none
// reads: Dataset
// writes: nothing
// complexity: O(1)
// example: ratingpriv query run load/dataset --param name=survey
MATCH (d:Dataset {name: $name})
WITH properties(d) AS dataset
WHERE dataset.name = $name  // a server may give a node that was deleted meanwhile, without its properties
RETURN dataset
