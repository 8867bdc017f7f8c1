// title: The runs of a dataset and what came of each
// definition: a run tries to find a k-decomposition [SWLP10, §4.3]
//   No row means that the dataset has no run, or cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   run: STRING -- its name
//   k: INTEGER -- the least size of a clique that was asked
//   epsilon: FLOAT -- the rating distance that was asked
//   order: STRING -- position, or fewest: the records with the fewest neighbours first
//   complete: BOOLEAN -- false: it was broken off, or is under way, and says nothing
//   cliques: INTEGER -- cliques so far
//   placed: INTEGER -- records in a clique
//   left_out: INTEGER -- records in none, or not yet
//   smallest: INTEGER? -- records in the smallest clique; null where there is none
//   largest: INTEGER? -- records in the largest clique; null where there is none
//   state: STRING -- complete, or: broken off, or under way
// key: run
// facts:
//   cliques counts partition/cliques
//   placed counts partition/members where clique
//   left_out counts partition/members without clique
// order: run
// reads: Dataset, Record, Run, Clique, MEMBER_OF
// writes: nothing
// complexity: O(records * runs)
// example: ratingpriv query run partition/runs/list --param dataset=survey
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (run:Run {dataset: $dataset})
OPTIONAL MATCH (c:Clique {dataset: $dataset, run: run.run})
OPTIONAL MATCH (r:Record {dataset: $dataset})-[:MEMBER_OF]->(c)
WITH d, run, c, count(r) AS size
WITH d, run, count(c) AS cliques, sum(size) AS placed, min(CASE WHEN c IS NOT NULL THEN size END) AS smallest,
     max(CASE WHEN c IS NOT NULL THEN size END) AS largest
RETURN run.run AS run, run.k AS k, run.epsilon AS epsilon, run.seedOrder AS order, run.complete AS complete, cliques,
       placed, d.records - placed AS left_out, smallest, largest,
       CASE WHEN run.complete THEN 'complete' ELSE 'broken off, or under way' END AS state
ORDER BY run
