// title: How many Hamming groups of each size are there?
// definition: sizes of the maximal sets of records with equal support [SWLZ11, Def. 5.2-5.3]; a group of one is
//   unique by what it rates alone, or by that and the quasi-identifiers that have to be equal
//   No row at all means no such dataset, or an incomplete one.
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   size: INTEGER -- a size of group that occurs
//   hamming_groups: INTEGER -- groups of this size
//   records: INTEGER -- records in them
// key: size
// facts:
//   hamming_groups counts audit/hamming-groups by size
// order: size
// reads: Dataset, Record, HammingGroup, IN_GROUP
// writes: nothing
// complexity: O(records)
// example: ratingpriv query run audit/hamming-group-sizes --param dataset=survey
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (r:Record {dataset: $dataset})-[:IN_GROUP]->(g:HammingGroup)
WITH g, count(r) AS size
WITH size, count(g) AS groups
RETURN size, groups AS hamming_groups, size * groups AS records
ORDER BY size
