// title: Say of some records that they are released ones
// definition: ReleasedRecord of the schema: a record of a dataset that is a release
// params:
//   released: STRING -- name of the dataset that is the release
//   first: INTEGER -- from this position on
//   stop: INTEGER -- up to this position, which is not among them
// columns:
//   records: INTEGER -- records labelled
// order: none
// reads: Record
// writes: Record:ReleasedRecord
// complexity: O(records of the batch)
// example: part of ratingpriv ingest
MATCH (r:Record {dataset: $released})
WHERE r.position >= $first AND r.position < $stop
SET r:ReleasedRecord
RETURN count(r) AS records
