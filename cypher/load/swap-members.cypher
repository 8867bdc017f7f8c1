// title: Tie some records to the group within which their values were exchanged
// definition: (:Record)-[:SWAPPED_IN]->(:SwapGroup) of the schema, of the original or of the release
// params:
//   dataset: STRING -- name of the dataset of the records
//   released: STRING -- name of the dataset that is the release
//   rows: LIST<MAP> -- position of a record, and id of its group
// columns:
//   members: INTEGER -- relationships
// order: none
// reads: Record, SwapGroup
// writes: SWAPPED_IN
// complexity: O(rows), by the positions' and the groups' keys
// example: part of ratingpriv ingest
UNWIND $rows AS row
MATCH (r:Record {position: row.position, dataset: $dataset})
MATCH (g:SwapGroup {id: row.group, dataset: $released})
MERGE (r)-[m:SWAPPED_IN]->(g)
RETURN count(m) AS members
