// title: Greedy decomposition, repeated statement: every component's next seed takes k records
// definition: the first record in turn that nobody has taken takes its free neighbours, the nearest first (then by
//   position), each if it is proximate with all taken before, up to k [SWLP10, §4.3]. Short of k nothing is taken: the
//   seed is not asked again, but later ones may take it.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   changed: INTEGER -- seeds that had their turn; 0 means that all had
// order: none (one row)
// reads: Record, PROXIMATE, Run, LEFT_OUT
// writes: LEFT_OUT.state, LEFT_OUT.clique, Run.statements
// complexity: O(waiting records + squared degree of the seeds) a step, at most as many steps as the largest component
//   has records; sensible up to some 10,000 records in one component
// example: ratingpriv query run partition/decompose/seed --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
SET run.statements = run.statements + 1
WITH run, run.k AS k, run.epsilon AS epsilon
MATCH (run)<-[w:LEFT_OUT {state: 'waiting'}]-(r:Record {dataset: $dataset})
WITH run, k, epsilon, w.component AS component, min(w.turn) AS turn
MATCH (s:Record {dataset: $dataset, position: turn % run.records})
OPTIONAL MATCH (s)-[p:PROXIMATE]-(a:Record)-[o:LEFT_OUT]->(run)
WHERE p.distance <= epsilon AND o.state IN ['waiting', 'tried']
OPTIONAL MATCH (a)-[q:PROXIMATE]-(b:Record)
WHERE q.distance <= epsilon
WITH run, k, s.position AS seed, p.distance AS distance, a.position AS position, collect(b.position) AS near
ORDER BY distance, position
WITH run, k, seed, collect(CASE WHEN position IS NOT NULL THEN {position: position, near: near} END) AS candidates
WITH run, k, seed, reduce(clique = [seed], c IN candidates | CASE
    WHEN size(clique) < k AND all(member IN clique WHERE member IN c.near) THEN clique + [c.position]
    ELSE clique
END) AS clique
WITH run, seed, size(clique) = k AS found, CASE WHEN size(clique) = k THEN clique ELSE [seed] END AS members
UNWIND members AS position
MATCH (r:Record {dataset: $dataset, position: position})-[w:LEFT_OUT]->(run)
SET w.state = CASE WHEN found THEN 'taken' ELSE 'tried' END, w.clique = CASE WHEN found THEN seed END
WITH count(DISTINCT seed) AS changed
RETURN changed
ORDER BY changed
