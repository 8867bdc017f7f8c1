// title: Greedy decomposition, cleaning up: give a run up that did not come to its end
// definition: removes what the other statements wrote under this token [SWLP10, §4.3], and nothing of a run that
//   another process has begun under the same name meanwhile
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   runs: INTEGER -- runs removed, 0 or 1
// order: none (one row)
// reads: Run, Clique
// writes: Run, Clique, MEMBER_OF, LEFT_OUT
// complexity: O(records) in one transaction
// example: ratingpriv query run partition/decompose/abandon --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
SET run.statements = run.statements + 1
WITH run
OPTIONAL MATCH (c:Clique {dataset: $dataset, run: $run})
WITH run, collect(c) AS cliques
FOREACH (x IN cliques | DETACH DELETE x)
DETACH DELETE run
WITH count(*) AS runs
RETURN runs
ORDER BY runs
