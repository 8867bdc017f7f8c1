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
RETURN properties(d) AS dataset
ORDER BY d.name
