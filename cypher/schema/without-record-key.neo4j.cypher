// title: Do without the index on record ids
// definition: Neo4j indexes no value of more than about 8,000 bytes, and a dataset with a longer id is coming
// params: none
// columns: none
// order: none
// reads: nothing
// writes: constraint record_id
// complexity: O(1)
// example: made by ratingpriv ingest; run it by hand in an empty database of your own
DROP CONSTRAINT record_id IF EXISTS
