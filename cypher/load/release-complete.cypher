// title: Say that a release is complete
// definition: Only after everything was counted
// params:
//   dataset: STRING -- name of the original dataset
//   run: STRING -- name of the release
//   properties: MAP -- what the Release node says from now on
// columns:
//   run: STRING -- its name
// order: none
// reads: Release
// writes: Release
// complexity: O(1)
// example: part of ratingpriv ingest
MATCH (x:Release {dataset: $dataset, run: $run})
SET x += $properties
SET x.complete = true
RETURN x.run AS run
