// title: Add records, each in its Hamming group
// definition: (:Record {dataset, id, position, hammingGroup, sizes})-[:IN_GROUP]->(:HammingGroup) of the schema
// params:
//   key: STRING -- what the load's nodes have as their dataset property: the dataset's name, or a private key
//   rows: LIST<MAP> -- id, position, hammingGroup, sizes (|N(t)| [SWLZ11, Def. 4.2] at each of the dataset's levels) and,
//     where only pairs at risk are loaded, atRisk; where there are quasi-identifiers, their values and codes
// columns:
//   created: INTEGER -- records added
// order: none
// reads: HammingGroup
// writes: Record, IN_GROUP
// complexity: O(rows), by the key of HammingGroup
// example: part of ratingpriv ingest
UNWIND $rows AS row
MATCH (g:HammingGroup {id: row.hammingGroup, dataset: $key})
CREATE (r:Record {dataset: $key})-[:IN_GROUP]->(g)
SET r += row
RETURN count(r) AS created
