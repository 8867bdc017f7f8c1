// title: Remove some relationships of a key
// definition: A batch of what leaves the key's nodes; repeated until it removes none
// params:
//   key: STRING -- what the load's nodes have as their dataset property: the dataset's name, or a private key
//   most: INTEGER -- how many at most
// columns:
//   removed: INTEGER -- relationships
// order: none
// reads: Record, HammingGroup, Issue, Clique, Run, Release, SwapGroup
// writes: every relationship
// complexity: O(nodes of the key + removed)
// example: part of ratingpriv ingest
CALL () {
    MATCH (n:Record {dataset: $key})
    RETURN n
  UNION ALL
    MATCH (n:HammingGroup {dataset: $key})
    RETURN n
  UNION ALL
    MATCH (n:Issue {dataset: $key})
    RETURN n
  UNION ALL
    MATCH (n:Clique {dataset: $key})
    RETURN n
  UNION ALL
    MATCH (n:Run {dataset: $key})
    RETURN n
  UNION ALL
    MATCH (n:Release {dataset: $key})
    RETURN n
  UNION ALL
    MATCH (n:SwapGroup {dataset: $key})
    RETURN n
}
MATCH (n)-[p]->()
WITH p LIMIT $most
DELETE p
RETURN count(*) AS removed
