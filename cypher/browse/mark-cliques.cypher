// title: Colour the cliques of a run, the largest first, for Browser's style
// definition: every clique [SWLP10, §4.3] and its members get one of the labels Hue0 to Hue7, in turn, which
//   docker/style.grass draws in eight colours. Those of another run, or of a dataset that has changed, go
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of complete-run -- name of the run
// columns:
//   cliques: INTEGER -- cliques coloured; 0 means that the run has none, or that the dataset cannot be queried
//   records: INTEGER -- records in them
// order: none (one row)
// reads: Dataset, Record, Run, Clique, MEMBER_OF
// writes: Record:Hue0 to Record:Hue7, Clique:Hue0 to Clique:Hue7
// complexity: O(records) in one transaction. browse/mark and browse/unmark take the colours away
// example: ratingpriv query run browse/mark-cliques --param dataset=survey --param run=a
CALL () {
    MATCH (n:Record {dataset: $dataset})
    RETURN n
  UNION ALL
    MATCH (n:Clique {dataset: $dataset})
    RETURN n
}
REMOVE n:Hue0, n:Hue1, n:Hue2, n:Hue3, n:Hue4, n:Hue5, n:Hue6, n:Hue7
WITH count(n) AS cleared
CALL () {
    MATCH (d:Dataset {name: $dataset})
    WHERE d.complete
    MATCH (run:Run {dataset: $dataset, run: $run, complete: true})
    MATCH (c:Clique {dataset: $dataset, run: $run})
    WITH c
    ORDER BY c.size DESC, c.id
    RETURN collect(c) AS cliques
}
UNWIND CASE WHEN size(cliques) = 0 THEN [null] ELSE range(0, size(cliques) - 1) END AS place
WITH place, cliques[place] AS c
CALL (c) {
    MATCH (c)<-[:MEMBER_OF]-(r:Record {dataset: $dataset})
    RETURN collect(r) AS members
}
WITH place % 8 AS hue, c, members
UNWIND members + [c] AS n
FOREACH (x IN CASE WHEN hue = 0 THEN [1] ELSE [] END | SET n:Hue0)
FOREACH (x IN CASE WHEN hue = 1 THEN [1] ELSE [] END | SET n:Hue1)
FOREACH (x IN CASE WHEN hue = 2 THEN [1] ELSE [] END | SET n:Hue2)
FOREACH (x IN CASE WHEN hue = 3 THEN [1] ELSE [] END | SET n:Hue3)
FOREACH (x IN CASE WHEN hue = 4 THEN [1] ELSE [] END | SET n:Hue4)
FOREACH (x IN CASE WHEN hue = 5 THEN [1] ELSE [] END | SET n:Hue5)
FOREACH (x IN CASE WHEN hue = 6 THEN [1] ELSE [] END | SET n:Hue6)
FOREACH (x IN CASE WHEN hue = 7 THEN [1] ELSE [] END | SET n:Hue7)
WITH count(DISTINCT c) AS cliques, count(n) - count(DISTINCT c) AS records
RETURN cliques, records
ORDER BY cliques
