// title: The runs of a dataset
// definition: Their names, and whether each has ended
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   value: STRING -- the name
//   complete: BOOLEAN -- false: it was broken off, or is under way
//   state: STRING -- another text after every change of it
// order: value
// reads: Run
// writes: nothing
// complexity: O(runs)
// example: ratingpriv query run load/runs --param dataset=survey
MATCH (run:Run {dataset: $dataset})
RETURN run.run AS value, coalesce(run.complete, false) AS complete,
       coalesce(run.token, '') + ' ' + toString(coalesce(run.statements, 0)) AS state
ORDER BY value
