// title: Greedy decomposition, after the seeds: a clique for each that found k records
// definition: the groups of a k-decomposition [SWLP10, §4.3]; a clique's id is the position of its seed
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   cliques: INTEGER -- cliques made
// order: none (one row)
// reads: Record, Run, LEFT_OUT
// writes: Clique, Run.statements
// complexity: O(records) in one transaction
// example: ratingpriv query run partition/decompose/gather --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
SET run.statements = run.statements + 1
WITH run
MATCH (run)<-[w:LEFT_OUT {state: 'taken'}]-(s:Record {dataset: $dataset})
WITH run, w.clique AS id, w.component AS component, w.made AS made, count(w) AS size,
     min(CASE WHEN s.position = w.clique THEN w.turn END) AS turn
CREATE (c:Clique {dataset: $dataset, run: $run, id: id, size: size, component: component, turn: turn,
    made: coalesce(made, 'greedy')})
WITH count(c) AS cliques
RETURN cliques
ORDER BY cliques
