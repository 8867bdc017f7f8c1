// title: Cliques of the records in each run, to see whether they were changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
// columns:
//   position: ANY? -- place of the record
//   run: ANY? -- name of the run
//   clique: ANY? -- number of the clique; null: left out
//   properties: MAP -- all that the relationship says
// order: position, run, clique
// reads: Record, Run, Clique, MEMBER_OF, LEFT_OUT
// writes: nothing
// complexity: O(records of the runs)
// example: part of ratingpriv query run --write
MATCH (r:Record {dataset: $key})-[m:MEMBER_OF|LEFT_OUT]->(n {dataset: $key})
RETURN r.position AS position, n.run AS run, CASE WHEN n:Clique THEN n.id END AS clique, properties(m) AS properties
ORDER BY position, run, clique
