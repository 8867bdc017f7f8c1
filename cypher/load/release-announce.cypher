// title: Announce a release that is being loaded
// definition: It says complete: false until everything was counted; one of the same name is taken back by this
// params:
//   dataset: STRING -- name of the original dataset
//   run: STRING -- name of the release
//   properties: MAP -- everything else that the Release node says
// columns:
//   run: STRING -- its name
// order: none
// reads: Release
// writes: Release
// complexity: O(1)
// example: part of ratingpriv ingest
MERGE (x:Release {dataset: $dataset, run: $run})
SET x += $properties
SET x.complete = false
RETURN x.run AS run
