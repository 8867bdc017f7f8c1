// title: Changing a run: name a component anew whose first record was lent
// definition: a component is named by the position of its first record [SWLP10, §4.4]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/change/open was given
//   before: INTEGER -- the name so far
//   component: INTEGER -- the name from now on
// columns:
//   cliques: INTEGER -- cliques in it
// order: none (one row)
// reads: Record, Run, LEFT_OUT, Clique
// writes: LEFT_OUT.component, Clique.component
// complexity: O(cliques + records left out)
// example: ratingpriv query run partition/change/rename --param dataset=survey --param run=a --param token=x --param before=4 --param component=5
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
CALL (run) {
    MATCH (run)<-[w:LEFT_OUT {component: $before}]-(:Record {dataset: $dataset})
    SET w.component = $component
    RETURN count(w) AS left
}
CALL (run) {
    MATCH (c:Clique {dataset: $dataset, run: $run, component: $before})
    SET c.component = $component
    RETURN count(c) AS cliques
}
WITH cliques
RETURN cliques
ORDER BY cliques
