// title: The releases of a key
// definition: What goes when the original goes
// params:
//   key: STRING -- what the nodes have as their dataset property: the dataset's name, or a private key
// columns:
//   released: STRING -- name of the dataset that is the release
// order: released
// reads: Release
// writes: nothing
// complexity: O(releases)
// example: part of ratingpriv ingest
MATCH (x:Release {dataset: $key})
RETURN x.released AS released
ORDER BY released
