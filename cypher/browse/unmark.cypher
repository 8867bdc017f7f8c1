// title: Take the marks of browse/mark, browse/mark-reasons and browse/mark-cliques away
// definition: removes what these wrote; [SWLZ11, Def. 4.2] defines records at risk
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   records: INTEGER -- records looked at
// order: none (one row)
// reads: Record, Clique, WITHIN, BEYOND
// writes: Record:AtRisk, Record:Alone, Record:Few, Record:Several, Record:Many, Record:Hue0 to Record:Hue7,
//   Clique:Hue0 to Clique:Hue7, Record.neighbourhood, Record.crowd, WITHIN, BEYOND
// complexity: O(records) in one transaction
// example: ratingpriv query run browse/unmark --param dataset=survey
CALL () {
    MATCH (r:Record {dataset: $dataset})
    RETURN r
}
OPTIONAL MATCH (r)-[old:WITHIN|BEYOND]->(:Record)
WITH collect(old) AS lines
FOREACH (old IN lines | DELETE old)
WITH size(lines) AS removed
CALL () {
    MATCH (n:Record {dataset: $dataset})
    RETURN n, 1 AS record
  UNION ALL
    MATCH (n:Clique {dataset: $dataset})
    RETURN n, 0 AS record
}
REMOVE n:AtRisk, n:Alone, n:Few, n:Several, n:Many, n:Hue0, n:Hue1, n:Hue2, n:Hue3, n:Hue4, n:Hue5, n:Hue6, n:Hue7,
       n.neighbourhood, n.crowd
WITH coalesce(sum(record), 0) AS records
RETURN records
ORDER BY records
