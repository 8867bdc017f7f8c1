// title: Open a load
// definition: One node that counts what has arrived; a batch and its counters are one transaction
// params:
//   token: STRING -- the load's own name
//   properties: MAP -- the load's dataset, its key and everything the Dataset node will say; levels as texts,
//     of which the embedded engine keeps every digit
// columns:
//   token: STRING -- the load
// order: none
// reads: Load
// writes: Load
// complexity: O(1)
// example: part of ratingpriv ingest
MERGE (l:Load {token: $token})
ON CREATE SET l += $properties, l.levels = [level IN $properties.levels | toFloat(level)]
RETURN l.token AS token
