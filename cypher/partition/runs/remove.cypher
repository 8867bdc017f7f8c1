// title: Remove a run: its cliques, and the records in none
// definition: takes back what partition/decompose wrote [SWLP10, §4.3]. Writing first takes the run's lock: a statement
//   of another process that is under way ends before the cliques are looked for.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
// columns:
//   runs: INTEGER -- runs removed, 0 or 1
//   cliques: INTEGER -- cliques removed
// order: none (one row)
// reads: Run, Clique
// writes: Run, Clique, MEMBER_OF, LEFT_OUT
// complexity: O(records) in one transaction
// example: ratingpriv query run partition/runs/remove --param dataset=survey --param run=a
MATCH (run:Run {dataset: $dataset, run: $run})
SET run.complete = false, run.token = ''
WITH run
OPTIONAL MATCH (c:Clique {dataset: $dataset, run: $run})
WITH run, collect(c) AS cliques, count(c) AS found
FOREACH (x IN cliques | DETACH DELETE x)
DETACH DELETE run
WITH count(*) AS runs, sum(found) AS cliques
RETURN runs, coalesce(cliques, 0) AS cliques
ORDER BY runs
