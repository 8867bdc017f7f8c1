// title: Greedy decomposition, repeated statement: every component's next 64 seeds take k records each
// definition: one after the other, a free seed takes its free neighbours, the nearest first (then by
//   position), each if it is proximate with all taken before, up to k [SWLP10, §4.3]. Short of k nothing is taken: the
//   seed is not tried again, but later ones may take it. taken: k positions for each seed that found k, its own first.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   changed: INTEGER -- records that had their turn or were taken; 0 means that all had
// order: none (one row)
// reads: Record, PROXIMATE, Run, LEFT_OUT
// writes: LEFT_OUT.state, LEFT_OUT.clique
// complexity: O(waiting records + 64 * k * degree) a step, records of the largest component / 64 steps
// example: ratingpriv query run partition/decompose/seed --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
WITH run, run.k AS k, run.epsilon AS epsilon
MATCH (run)<-[w:LEFT_OUT {state: 'waiting'}]-(s:Record {dataset: $dataset})
WITH run, k, epsilon, w.component AS component, w.turn AS turn, s
ORDER BY turn
WITH run, k, epsilon, component, collect(s) AS seeds
UNWIND seeds[..64] AS s
CALL (run, epsilon, s) {
    MATCH (s)-[p:PROXIMATE]-(a:Record)-[o:LEFT_OUT]->(run)
    WHERE p.distance <= epsilon AND o.state IN ['waiting', 'tried']
    WITH p.distance AS distance, a.position AS position, o.near AS near
    ORDER BY distance, position
    RETURN collect({position: position, near: near}) AS candidates
}
MATCH (s)-[w:LEFT_OUT]->(run)
WITH run, k, component, w.turn AS turn, s.position AS position, candidates
ORDER BY turn
WITH run, k, component, collect({position: position, candidates: candidates}) AS seeds
WITH run, k, seeds, reduce(taken = [], s IN seeds | CASE
    WHEN s.position IN taken THEN taken
    ELSE reduce(more = taken, clique IN [reduce(clique = [s.position], c IN s.candidates | CASE
        WHEN size(clique) = k OR c.position IN taken THEN clique
        WHEN all(member IN clique WHERE member IN c.near) THEN clique + [c.position]
        ELSE clique
    END)] | CASE WHEN size(clique) = k THEN taken + clique ELSE taken END)
END) AS taken
WITH run, [i IN range(0, size(taken) - 1) | {position: taken[i], clique: taken[i - i % k]}] +
    [s IN seeds WHERE NOT s.position IN taken | {position: s.position}] AS turns
UNWIND turns AS turn
MATCH (r:Record {position: turn.position, dataset: $dataset})-[w:LEFT_OUT]->(run)
SET w.state = CASE WHEN turn.clique IS NULL THEN 'tried' ELSE 'taken' END, w.clique = turn.clique
WITH count(w) AS changed
RETURN changed
ORDER BY changed
