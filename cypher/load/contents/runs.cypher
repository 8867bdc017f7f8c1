// title: The runs of a dataset and their cliques, to see whether one was changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
// columns:
//   run: ANY? -- name of the run
//   clique: ANY? -- number of a clique; null: the run itself
//   properties: MAP -- all that it says
//   members: INTEGER -- how many relationships it has to members or to records in no clique, in either direction
// order: run, clique
// reads: Run, Clique, MEMBER_OF, LEFT_OUT
// writes: nothing
// complexity: O(records of the runs)
// example: part of ratingpriv query run --write
CALL () {
    MATCH (n:Run {dataset: $key})
    RETURN n, null AS clique
  UNION ALL
    MATCH (n:Clique {dataset: $key})
    RETURN n, n.id AS clique
}
RETURN n.run AS run, clique, properties(n) AS properties,
       COUNT { MATCH (n)-[:MEMBER_OF|LEFT_OUT]-() } AS members
ORDER BY run, clique
