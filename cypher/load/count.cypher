// title: Move the load's counters
// definition: Counters and batch are one transaction
// params:
//   token: STRING -- the load's own name
//   counters: MAP -- the counters that change
// columns:
//   token: STRING -- the load
// order: none
// reads: Load
// writes: Load
// complexity: O(1)
// example: part of ratingpriv ingest
MATCH (l:Load {token: $token})
SET l += $counters
RETURN l.token AS token
