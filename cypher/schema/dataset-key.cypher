// title: A dataset's name is unique
// definition: (:Dataset {name}) of the schema
// params: none
// columns: none
// order: none
// reads: nothing
// writes: constraint dataset_name
// complexity: O(nodes with the label), once
// example: made by ratingpriv ingest; run it by hand in an empty database of your own
CREATE CONSTRAINT dataset_name IF NOT EXISTS FOR (d:Dataset) REQUIRE d.name IS UNIQUE
