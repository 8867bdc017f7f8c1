// title: Remove some nodes of a key
// definition: A batch; repeated until it removes none
// params:
//   key: STRING -- what the load's nodes have as their dataset property: the dataset's name, or a private key
//   most: INTEGER -- how many at most
// columns:
//   removed: INTEGER -- nodes
// order: none
// reads: every node
// writes: every node
// complexity: O(nodes of the store)
// example: part of ratingpriv ingest
MATCH (n)
WHERE n.dataset = $key
WITH n LIMIT $most
DETACH DELETE n
RETURN count(*) AS removed
