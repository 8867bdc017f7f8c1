// title: Take the load's counters for this transaction
// definition: Writing first takes the node's lock, so that no other process reads the counters before this batch is in
// params:
//   token: STRING -- the load's own name
//   at: STRING -- now
// columns:
//   load: MAP -- all properties of the Load node
// order: none
// reads: Load
// writes: Load.touchedAt
// complexity: O(1)
// example: part of ratingpriv ingest
MATCH (l:Load {token: $token})
SET l.touchedAt = $at
WITH properties(l) AS load
WHERE load.token = $token  // a server may give a node that was deleted meanwhile, without its properties
RETURN load
