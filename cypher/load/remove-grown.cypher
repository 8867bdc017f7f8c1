// title: Remove some of what is being added to a dataset
// definition: A batch of the records and Hamming groups beyond those that its Dataset node counts; repeated until it
//   removes none
// params:
//   name: STRING -- the dataset's name
//   most: INTEGER -- how many at most
// columns:
//   removed: INTEGER -- nodes
// order: none
// reads: Dataset, Record, HammingGroup
// writes: Record, HammingGroup
// complexity: O(records)
// example: part of ratingpriv ingest --append
MATCH (d:Dataset {name: $name})
CALL (d) {
    MATCH (n:Record {dataset: $name})
    WHERE n.position >= d.records
    RETURN n
  UNION ALL
    MATCH (n:HammingGroup {dataset: $name})
    WHERE n.id >= d.groups
    RETURN n
}
WITH n LIMIT $most
DETACH DELETE n
RETURN count(*) AS removed
