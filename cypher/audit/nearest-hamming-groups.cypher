// title: Which Hamming groups are nearest to that of a record, and could lend it records?
// definition: the Hamming distance between two rows of the flag matrix [SWLZ11, Def. 5.2]: how many issues one rates and
//   the other does not. Records of a near group cost least to borrow [SWLP10, §4.4, Case 3]; its own is left out, and
//   so are groups with other values of the quasi-identifiers that have to be equal, which cannot be moved.
//   No row at all means an unknown record, no other group, an incomplete dataset, or one without its ratings.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   record: ANY of record -- id of the record, as in the data
//   groups: INTEGER >= 1 -- the most groups to return
// columns:
//   hamming_group: INTEGER -- number of the group, by its first record
//   distance: INTEGER -- issues that the record or the group rates, but not both
//   size: INTEGER -- records in it
//   first_record: ANY -- id of its first record
// key: hamming_group
// facts:
//   size counts audit/record-groups by hamming_group
// order: distance, hamming_group
// reads: Dataset, Record, HammingGroup, Issue, IN_GROUP, RATED
// writes: nothing
// complexity: O(records + ratings of the first record of every group)
// example: ratingpriv query run audit/nearest-hamming-groups --param dataset=survey --param record=t1 --param groups=5
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.allRatings
MATCH (t:Record {dataset: $dataset})-[:IN_GROUP]->(a:HammingGroup)
WHERE t.id = $record
OPTIONAL MATCH (t)-[:RATED]->(i:Issue {sensitive: false})
WITH a, collect(i.position) AS mine
MATCH (u:Record {dataset: $dataset})-[:IN_GROUP]->(g:HammingGroup {dataset: $dataset})
WHERE g.id <> a.id AND coalesce(g.quasiClass, 0) = coalesce(a.quasiClass, 0)
WITH mine, g, min(u.position) AS place
MATCH (first:Record {position: place, dataset: $dataset})
OPTIONAL MATCH (first)-[:RATED]->(i:Issue {sensitive: false})
WHERE i.position IN mine
WITH mine, g, first, count(i) AS common
WITH g.id AS hamming_group, size(mine) + g.supportSize - 2 * common AS distance, g.size AS size, first.id AS first_record
ORDER BY distance, hamming_group
WITH collect({group: hamming_group, distance: distance, size: size, first: first_record}) AS nearest
UNWIND nearest[0..$groups] AS one
RETURN one.group AS hamming_group, one.distance AS distance, one.size AS size, one.first AS first_record
ORDER BY distance, hamming_group
