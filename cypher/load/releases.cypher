// title: The releases of a dataset
// definition: Their names, what they were loaded as, and whether they can be asked about
// params:
//   dataset: STRING -- name the original was ingested under
// columns:
//   value: STRING -- the name
//   complete: BOOLEAN -- false: its load broke off, or is under way
//   linked: BOOLEAN -- whether it came with its key
//   released: STRING -- the dataset that it is
//   swapped: BOOLEAN -- whether its key tied groups, as that of a release by swap does
//   state: STRING -- when it was announced
// order: value
// reads: Release
// writes: nothing
// complexity: O(releases)
// example: ratingpriv query run load/releases --param dataset=survey
MATCH (x:Release {dataset: $dataset})
RETURN x.run AS value, coalesce(x.complete, false) AS complete, coalesce(x.linked, false) AS linked, x.released AS released,
       coalesce(x.groups, 0) > 0 AS swapped, coalesce(x.createdAt, '') AS state
ORDER BY value
