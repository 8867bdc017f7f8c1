// title: The cliques of a run, one by one: is each really one?
// definition: every two members of a clique are epsilon-proximate, and there are at least k of them [SWLP10, §4.3]
//   No row at all means that there is no such run, that it was broken off, that it has no clique, or that the dataset
//   cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of complete-run -- name of the run
// columns:
//   clique: INTEGER -- its id: the position of one of its records
//   made: STRING -- greedy, merged, borrowed or whole (a component)
//   size: INTEGER -- its members, counted
//   missing_pairs: INTEGER -- pairs of members that are not proximate
//   diameter: FLOAT -- largest distance among the proximate pairs, 0 for a single record
//   holds: BOOLEAN -- whether it is a clique of at least k records
// key: clique
// facts:
//   size counts partition/members by clique
// order: clique
// reads: Dataset, Record, PROXIMATE, Run, Clique, MEMBER_OF
// writes: nothing
// complexity: O(records + pairs)
// example: ratingpriv query run partition/cliques --param dataset=survey --param run=a
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (run:Run {dataset: $dataset, run: $run, complete: true})
MATCH (c:Clique {dataset: $dataset, run: $run})
OPTIONAL MATCH (a:Record {dataset: $dataset})-[:MEMBER_OF]->(c)
WITH run, c, count(a) AS size
OPTIONAL MATCH (c)<-[:MEMBER_OF]-(a:Record)-[p:PROXIMATE]->(b:Record)-[:MEMBER_OF]->(c)
WHERE p.distance <= run.epsilon
WITH run, c, size, count(p) AS pairs, max(p.distance) AS diameter
RETURN c.id AS clique, c.made AS made, size, size * (size - 1) / 2 - pairs AS missing_pairs,
       coalesce(diameter, 0.0) AS diameter, size >= run.k AND 2 * pairs = size * (size - 1) AS holds
ORDER BY clique
