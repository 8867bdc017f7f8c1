// title: How many cliques of which size does a run have?
// definition: the groups of a k-decomposition [SWLP10, §4.3]
//   No row at all means that there is no such run, that it was broken off, that it has no clique, or that the dataset
//   cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of complete-run -- name of the run
// columns:
//   size: INTEGER -- records in a clique
//   cliques: INTEGER -- cliques of this size
//   records: INTEGER -- records in them
// key: size
// facts:
//   cliques counts partition/cliques by size
// order: size
// reads: Dataset, Record, Run, Clique, MEMBER_OF
// writes: nothing
// complexity: O(records)
// example: ratingpriv query run partition/sizes --param dataset=survey --param run=a
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (:Run {dataset: $dataset, run: $run, complete: true})
MATCH (c:Clique {dataset: $dataset, run: $run})
OPTIONAL MATCH (r:Record {dataset: $dataset})-[:MEMBER_OF]->(c)
WITH c, count(r) AS size
WITH size, count(c) AS cliques
RETURN size, cliques, size * cliques AS records
ORDER BY size
