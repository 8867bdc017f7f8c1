// title: Link some records to what they were released as
// definition: (:Record)-[:RELEASED_AS]->(:ReleasedRecord) of the schema, from the private key of the release
// params:
//   dataset: STRING -- name of the original dataset
//   released: STRING -- name of the dataset that is the release
//   rows: LIST<MAP> -- before and after, positions in the two datasets
// columns:
//   links: INTEGER -- links made
// order: none
// reads: Record
// writes: RELEASED_AS
// complexity: O(rows), by the positions' key
// example: part of ratingpriv ingest
UNWIND $rows AS row
MATCH (r:Record {position: row.before, dataset: $dataset})
MATCH (s:Record {position: row.after, dataset: $released})
MERGE (r)-[x:RELEASED_AS]->(s)
RETURN count(x) AS links
