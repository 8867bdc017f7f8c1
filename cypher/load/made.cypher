// title: What was made of a dataset, or what it was made of
// definition: Runs and releases say something of all records of a dataset; a release goes with its original
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   kind: STRING -- run, release, or original: the dataset is a release of it
//   name: STRING -- its name
// order: kind, name
// reads: Run, Release
// writes: nothing
// complexity: O(runs + releases)
// example: ratingpriv query run load/made --param dataset=survey
CALL () {
    MATCH (run:Run {dataset: $dataset})
    RETURN 'run' AS kind, run.run AS name
  UNION ALL
    MATCH (x:Release {dataset: $dataset})
    RETURN 'release' AS kind, x.run AS name
  UNION ALL
    MATCH (x:Release {released: $dataset})
    RETURN 'original' AS kind, x.dataset AS name
}
RETURN kind, name
ORDER BY kind, name
