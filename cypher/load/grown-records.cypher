// title: Say how large the neighbourhoods of some records are now
// definition: |N(t)| [SWLZ11, Def. 4.2] of records that were there and have more neighbours now
// params:
//   key: STRING -- the dataset's name
//   rows: LIST<MAP> -- position, sizes and, where quasi-identifiers have new values, the values and codes
// columns:
//   records: INTEGER -- records found
// order: none
// reads: Record
// writes: Record
// complexity: O(rows), by the positions' key
// example: part of ratingpriv ingest --append
UNWIND $rows AS row
MATCH (r:Record {position: row.position, dataset: $key})
SET r += row
RETURN count(r) AS records
