// title: Add ratings
// definition: (:Record)-[:RATED {rating, timestamp}]->(:Issue); no relationship is a null
// params:
//   key: STRING -- what the load's nodes have as their dataset property: the dataset's name, or a private key
//   rows: LIST<MAP> -- record and issue (positions) and properties (rating and, where known, timestamp)
// columns:
//   created: INTEGER -- ratings added
// order: none
// reads: Record, Issue
// writes: RATED
// complexity: O(rows), by the positions' keys
// example: part of ratingpriv ingest
UNWIND $rows AS row
MATCH (r:Record {position: row.record, dataset: $key})
MATCH (i:Issue {position: row.issue, dataset: $key})
CREATE (r)-[p:RATED]->(i)
SET p = row.properties
RETURN count(p) AS created
