// title: Say that a release is not complete any more
// definition: Before the dataset that it was loaded as is replaced or removed
// params:
//   released: STRING -- name of the dataset that is the release
// columns:
//   releases: INTEGER -- releases, 0 or 1
// order: none
// reads: Release
// writes: Release
// complexity: O(releases)
// example: part of ratingpriv ingest
MATCH (x:Release {released: $released})
SET x.complete = false
RETURN count(x) AS releases
