// title: Changing a run: take records out of their cliques
// definition: they may join cliques again (in a component that lends), or are taken for a clique of their own (merged
//   ones, borrowers and what they borrow) [SWLP10, §4.4]. partition/change/leave and empty follow, then the statements
//   of partition/decompose from place on.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/change/open was given
//   positions: LIST<INTEGER> -- the records' places in the data
//   state: STRING -- tried or taken
//   component: INTEGER -- the component that they belong to from now on
//   clique: INTEGER -- for taken ones: the position of one of them, which names the clique; else -1
//   made: STRING -- for taken ones: merged or borrowed; else greedy
// columns:
//   records: INTEGER -- records taken
// order: none (one row)
// reads: Record, Run, Clique, MEMBER_OF, LEFT_OUT
// writes: LEFT_OUT, Run.complete
// complexity: O(positions)
// example: ratingpriv query run partition/change/take --param dataset=survey --param run=a --param token=x --param positions='[4, 5]' --param state=taken --param component=4 --param clique=4 --param made=merged
MATCH (run:Run {dataset: $dataset, run: $run, token: $token})
SET run.complete = false, run.statements = run.statements + 1
WITH run
UNWIND $positions AS position
CALL (position) {  // a store may use no index behind SET
    MATCH (r:Record {position: position, dataset: $dataset})
    RETURN r
}
OPTIONAL MATCH (r)-[m:MEMBER_OF]->(:Clique {dataset: $dataset, run: $run})
MERGE (r)-[w:LEFT_OUT]->(run)
SET w.turn = coalesce(m.turn, w.turn), w.state = $state, w.component = $component, w.clique = $clique, w.made = $made
WITH count(r) AS records
RETURN records
ORDER BY records
