// title: Greedy decomposition, before other statements of a transaction: take the lock of the run
// definition: a process that replaces or changes the run waits until the transaction has ended; its steps are those of
//   [SWLP10, §4.3]. A store that runs one transaction at a time needs none, nor do statements run by hand.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   runs: INTEGER -- 1, or 0 where the run was replaced or is complete
// order: none (one row)
// reads: Run
// writes: Run.statements
// complexity: O(1)
// example: ratingpriv query run partition/decompose/hold --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
SET run.statements = run.statements + 1
WITH count(run) AS runs
RETURN runs
ORDER BY runs
