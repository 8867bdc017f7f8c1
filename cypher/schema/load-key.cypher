// title: A load's token is unique
// definition: (:Load {token}), a load under way or broken off
// params: none
// columns: none
// order: none
// reads: nothing
// writes: constraint load_token
// complexity: O(nodes with the label), once
// example: made by ratingpriv ingest; run it by hand in an empty database of your own
CREATE CONSTRAINT load_token IF NOT EXISTS FOR (l:Load) REQUIRE l.token IS UNIQUE
