// title: Remove some pairs of what is being added to a dataset
// definition: A batch of the pairs of records beyond those that its Dataset node counts; repeated until it removes none
// params:
//   name: STRING -- the dataset's name
//   most: INTEGER -- how many at most
// columns:
//   removed: INTEGER -- relationships
// order: none
// reads: Dataset, Record, PROXIMATE
// writes: PROXIMATE
// complexity: O(records + pairs removed)
// example: part of ratingpriv ingest --append
MATCH (d:Dataset {name: $name})
CALL (d) {
    MATCH (n:Record {dataset: $name})
    WHERE n.position >= d.records
    MATCH (n)<-[p:PROXIMATE]-(:Record)
    RETURN p
}
WITH p LIMIT $most
DELETE p
RETURN count(*) AS removed
