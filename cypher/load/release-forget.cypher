// title: Remove a Release node
// definition: After the dataset that it was loaded as was removed
// params:
//   released: STRING -- name of the dataset that is the release
// columns: none
// order: none
// reads: Release
// writes: Release
// complexity: O(releases)
// example: part of ratingpriv ingest
MATCH (x:Release {released: $released})
DELETE x
