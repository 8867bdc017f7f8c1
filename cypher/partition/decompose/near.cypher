// title: Greedy decomposition, repeated statement: the neighbours of a record, and when its turn comes
// definition: the next 1,000 records note the positions of their neighbours, the nearest first (then by position).
//   A record's turn is its position, or (order fewest) the fewest neighbours first [SWLP10, §4.3]. Its component is
//   the first of them and of itself, for a start.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   changed: INTEGER -- records that wait for their turn now; 0 means that all do
// order: none (one row)
// reads: Record, PROXIMATE, Run, LEFT_OUT
// writes: LEFT_OUT.near, LEFT_OUT.turn, LEFT_OUT.state, LEFT_OUT.component
// complexity: O(pairs) in all steps together
// example: ratingpriv query run partition/decompose/near --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
WITH run, run.epsilon AS epsilon, run.records AS records, run.seedOrder AS order
MATCH (run)<-[w:LEFT_OUT {state: 'new'}]-(r:Record {dataset: $dataset})
WITH epsilon, records, order, w, r
LIMIT 1000
CALL (epsilon, r) {
    MATCH (r)-[p:PROXIMATE]-(a:Record)
    WHERE p.distance <= epsilon
    WITH p.distance AS distance, a.position AS position
    ORDER BY distance, position
    RETURN collect(position) AS near, min(position) AS first
}
SET w.near = near, w.state = 'waiting', w.component = CASE WHEN first < r.position THEN first ELSE r.position END,
    w.turn = CASE WHEN order = 'fewest' THEN size(near) * records ELSE 0 END + r.position
WITH count(w) AS changed
RETURN changed
ORDER BY changed
