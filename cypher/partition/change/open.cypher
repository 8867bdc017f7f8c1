// title: Changing a run, first statement: take a complete run for a merge or a loan
// definition: the steps of Case 2 and Case 3 [SWLP10, §4.4] are one transaction; writing first takes the run's lock
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of complete-run -- name of the run
//   token: STRING -- any text that no other run has, such as a UUID: the later statements ask for it
// columns:
//   k: INTEGER -- the least size of its cliques
// order: none (one row; none where there is no complete run of this name)
// reads: Run
// writes: Run.token
// complexity: O(1)
// example: ratingpriv query run partition/change/open --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, complete: true})
SET run.token = $token, run.statements = run.statements + 1
RETURN run.k AS k
ORDER BY k
