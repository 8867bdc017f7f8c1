// title: Remove some nodes of a key
// definition: A batch; repeated until it removes none
// params:
//   key: STRING -- what the load's nodes have as their dataset property: the dataset's name, or a private key
//   most: INTEGER -- how many at most
// columns:
//   removed: INTEGER -- nodes
// order: none
// reads: Record, HammingGroup, Issue, Clique, Run, Release, SwapGroup
// writes: Record, HammingGroup, Issue, Clique, Run, Release, SwapGroup
// complexity: O(nodes of the key)
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
WITH n LIMIT $most
DETACH DELETE n
RETURN count(*) AS removed
