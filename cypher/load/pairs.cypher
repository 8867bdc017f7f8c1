// title: Add proximate pairs
// definition: epsilon-proximate pairs [SWLZ11, Def. 4.1], once each, from the smaller position to the larger
// params:
//   key: STRING -- what the load's nodes have as their dataset property: the dataset's name, or a private key
//   rows: LIST<MAP> -- left (a position), right (a list of positions) and distance (a list beside it)
// columns:
//   created: INTEGER -- pairs added
// order: none
// reads: Record
// writes: PROXIMATE
// complexity: O(pairs), by the positions' key
// example: part of ratingpriv ingest
UNWIND $rows AS row
MATCH (a:Record {position: row.left, dataset: $key})
UNWIND range(0, size(row.right) - 1) AS place
MATCH (b:Record {position: row.right[place], dataset: $key})
CREATE (a)-[p:PROXIMATE {distance: row.distance[place]}]->(b)
RETURN count(p) AS created
