// title: Remove some relationships of a key
// definition: A batch of what leaves the key's nodes; repeated until it removes none
// params:
//   key: STRING -- what the load's nodes have as their dataset property: the dataset's name, or a private key
//   most: INTEGER -- how many at most
// columns:
//   removed: INTEGER -- relationships
// order: none
// reads: every node
// writes: every relationship
// complexity: O(nodes of the store + removed)
// example: part of ratingpriv ingest
MATCH (n)-[p]->()
WHERE n.dataset = $key
WITH p LIMIT $most
DELETE p
RETURN count(*) AS removed
