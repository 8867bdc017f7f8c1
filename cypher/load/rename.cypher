// title: Move all nodes of one key to another
// definition: Part of the one step in which a dataset takes the place of another
// params:
//   key: STRING -- the dataset property that the nodes have
//   to: STRING -- the one that they get
// columns:
//   moved: INTEGER -- nodes
// order: none
// reads: Record, HammingGroup, Issue, Clique, Run, Release, SwapGroup
// writes: the property dataset
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
SET n.dataset = $to
RETURN count(n) AS moved
