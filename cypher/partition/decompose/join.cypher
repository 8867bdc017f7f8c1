// title: Greedy decomposition, repeated statement: every component's next record that is left joins a clique
// definition: a record that no seed took, in turn, joins a clique all of whose members, earlier joiners included, are
//   proximate with it [SWLP10, §4.3]; of several the one whose farthest member is nearest, then the one made first
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   changed: INTEGER -- records that had their turn; 0 means that all had
// order: none (one row)
// reads: Record, PROXIMATE, Run, LEFT_OUT, Clique, MEMBER_OF
// writes: Clique.size, MEMBER_OF, LEFT_OUT.state, Run.statements
// complexity: O(waiting records + degrees) a step, at most as many steps as the largest component has records
// example: ratingpriv query run partition/decompose/join --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
SET run.statements = run.statements + 1
WITH run, run.epsilon AS epsilon
MATCH (run)<-[w:LEFT_OUT {state: 'tried'}]-(r:Record {dataset: $dataset})
WITH run, epsilon, w.component AS component, min(w.turn) AS turn
MATCH (s:Record {dataset: $dataset, position: turn % run.records})
OPTIONAL MATCH (s)-[p:PROXIMATE]-(a:Record)-[:MEMBER_OF]->(c:Clique {dataset: $dataset, run: $run})
WHERE p.distance <= epsilon
WITH run, turn, s.position AS position, c.id AS id, c.size AS size, c.turn AS made, count(p) AS near,
     max(p.distance) AS far
ORDER BY far, made
WITH run, turn, position, collect(CASE WHEN near = size THEN id END) AS ids
WITH run, turn, position, CASE WHEN size(ids) > 0 THEN ids[0] END AS id
MATCH (s:Record {dataset: $dataset, position: position})-[w:LEFT_OUT]->(run)
SET w.state = CASE WHEN id IS NULL THEN 'left' ELSE 'joined' END
WITH turn, s, id
OPTIONAL MATCH (c:Clique {dataset: $dataset, run: $run, id: id})
FOREACH (x IN CASE WHEN c IS NULL THEN [] ELSE [1] END | SET c.size = c.size + 1)
FOREACH (x IN CASE WHEN c IS NULL THEN [] ELSE [1] END | CREATE (s)-[:MEMBER_OF {turn: turn}]->(c))
WITH count(*) AS changed
RETURN changed
ORDER BY changed
