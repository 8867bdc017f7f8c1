// title: Greedy decomposition, repeated statement: records that are left join cliques
// definition: a record that no seed took, in turn, joins a clique all of whose members, earlier joiners included, are
//   proximate with it [SWLP10, §4.3]; of several the one whose farthest member is nearest, then the one made first.
//   A record without one stays outside: a clique only grows. In one step all join that no earlier one can come before:
//   those that are the first in turn to join the clique that suits them best.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   changed: INTEGER -- records that joined; 0 means that no record can any more
// order: none (one row)
// reads: Record, PROXIMATE, Run, LEFT_OUT, Clique, MEMBER_OF
// writes: Clique.size, MEMBER_OF, LEFT_OUT.state, LEFT_OUT.near
// complexity: O(pairs of waiting records) a step, few steps
// example: ratingpriv query run partition/decompose/join --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
WITH run, run.epsilon AS epsilon, run.records AS records
MATCH (run)<-[w:LEFT_OUT {state: 'tried'}]-(s:Record {dataset: $dataset})
CALL (epsilon, s) {
    MATCH (s)-[p:PROXIMATE]-(a:Record)-[:MEMBER_OF]->(c)
    WHERE p.distance <= epsilon AND c.dataset = $dataset AND c.run = $run
    WITH c, count(a) AS near, max(p.distance) AS far
    WHERE near = c.size
    WITH c, far, c.turn AS made
    ORDER BY far, made
    RETURN collect(c.id) AS cliques
}
SET w.state = CASE WHEN size(cliques) = 0 THEN 'left' ELSE 'tried' END, w.near = null
WITH run, records, w.turn AS turn, cliques
UNWIND cliques AS id
WITH run, records, id, min(turn) AS turn, collect(CASE WHEN cliques[0] = id THEN turn END) AS suited
WHERE turn IN suited
CALL (run, records, id, turn) {  // a store may use no index behind SET
    MATCH (c:Clique {id: id, dataset: $dataset, run: $run})
    MATCH (s:Record {position: turn % records, dataset: $dataset})-[w:LEFT_OUT]->(run)
    RETURN c, s, w
}
SET w.state = 'joined', c.size = c.size + 1
CREATE (s)-[:MEMBER_OF {turn: turn}]->(c)
WITH count(w) AS changed
RETURN changed
ORDER BY changed
