// title: The Hamming groups: records that rate the same issues
// definition: maximal sets of records with equal support [SWLZ11, Def. 5.2-5.3]; under epsilon < r, proximate records
//   share theirs. Quasi-identifiers that have to be equal split them: all records of a group agree on those, too.
//   The largest first. No row at all means no such dataset, or an incomplete one.
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   hamming_group: INTEGER -- number of the group, by its first record
//   size: INTEGER -- records in it
//   support_size: INTEGER -- issues its records rate
//   first_record: ANY -- id of its first record
// key: hamming_group
// facts:
//   size counts audit/record-groups by hamming_group
// order: size, hamming_group
// reads: Dataset, Record, HammingGroup, IN_GROUP
// writes: nothing
// complexity: O(records)
// example: ratingpriv query run audit/hamming-groups --param dataset=survey
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (r:Record {dataset: $dataset})-[:IN_GROUP]->(g:HammingGroup)
WITH g, r ORDER BY r.position
WITH g, collect(r.id) AS members
RETURN g.id AS hamming_group, size(members) AS size, g.supportSize AS support_size, members[0] AS first_record
ORDER BY size DESC, hamming_group
