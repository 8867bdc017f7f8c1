// title: Changing a run: cliques that lost all their members go
// definition: the cliques of components that were merged or lend [SWLP10, §4.4]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/change/open was given
// columns:
//   cliques: INTEGER -- cliques removed
// order: none (one row)
// reads: Run, Clique
// writes: Clique
// complexity: O(cliques)
// example: ratingpriv query run partition/change/empty --param dataset=survey --param run=a --param token=x
MATCH (:Run {dataset: $dataset, run: $run, token: $token, complete: false})
MATCH (c:Clique {dataset: $dataset, run: $run, size: 0})
DELETE c
WITH count(*) AS cliques
RETURN cliques
ORDER BY cliques
