// title: Every dataset and how it was loaded
// definition: The Dataset nodes as they are
// params: none
// columns:
//   dataset: MAP -- all properties of the Dataset node
// order: dataset.name
// reads: Dataset
// writes: nothing
// complexity: O(datasets)
// example: ratingpriv query run load/datasets
MATCH (d:Dataset)
WITH properties(d) AS dataset
WHERE dataset.name IS NOT NULL  // a server may give a node that was deleted meanwhile, without its properties
RETURN dataset
ORDER BY dataset.name
