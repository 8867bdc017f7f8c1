// title: Count what a load brought
// definition: Every kind that the load announced, as it is in the store
// params:
//   key: STRING -- what the load's nodes have as their dataset property: the dataset's name, or a private key
// columns:
//   issues: INTEGER -- issues
//   groups: INTEGER -- Hamming groups
//   records: INTEGER -- records
//   memberships: INTEGER -- records in their Hamming group
//   ratings: INTEGER -- ratings
//   pairs: INTEGER -- proximate pairs
// order: none
// reads: Issue, HammingGroup, Record, RATED, PROXIMATE
// writes: nothing
// complexity: O(records + pairs + ratings)
// example: part of ratingpriv ingest
OPTIONAL MATCH (i:Issue {dataset: $key})
WITH count(i) AS issues
OPTIONAL MATCH (g:HammingGroup {dataset: $key})
WITH issues, count(g) AS groups
OPTIONAL MATCH (r:Record {dataset: $key})
WITH issues, groups, count(r) AS records
OPTIONAL MATCH (:Record {dataset: $key})-[m:IN_GROUP]->(:HammingGroup)
WITH issues, groups, records, count(m) AS memberships
OPTIONAL MATCH (:Record {dataset: $key})-[t:RATED]->(:Issue)
WITH issues, groups, records, memberships, count(t) AS ratings
OPTIONAL MATCH (:Record {dataset: $key})-[p:PROXIMATE]->(:Record)
RETURN issues, groups, records, memberships, ratings, count(p) AS pairs
