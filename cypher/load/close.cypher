// title: Forget a load
// definition: Its work is done, or was thrown away
// params:
//   token: STRING -- the load's own name
// columns: none
// order: none
// reads: Load
// writes: Load
// complexity: O(1)
// example: part of ratingpriv ingest
MATCH (l:Load {token: $token})
DELETE l
