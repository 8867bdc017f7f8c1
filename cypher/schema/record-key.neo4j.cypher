// title: A record's id is unique within its dataset
// definition: Its index finds a record by its id. Neo4j indexes no value of more than about 8,000 bytes:
//   where a dataset has such an id the constraint is dropped (schema/without-record-key), and ids are found by a scan;
//   that no id is there twice, the load counts in any case.
// params: none
// columns: none
// order: none
// reads: nothing
// writes: constraint record_id
// complexity: O(nodes with the label), once
// example: made by ratingpriv ingest; run it by hand in an empty database of your own
CREATE CONSTRAINT record_id IF NOT EXISTS FOR (r:Record) REQUIRE (r.dataset, r.id) IS UNIQUE
