// title: A Hamming group: its records, and the pairs among them
// definition: a maximal set of records with equal support [SWLZ11, Def. 5.2-5.3] and, where the dataset has
//   quasi-identifiers that have to be equal, with the same values of those (its properties say which)
//   At most 200 records. No row means an unknown group, or that the dataset cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   hamming_group: INTEGER of hamming-group -- number of the group (audit/hamming-groups lists them)
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   g: NODE -- the group
//   i: RELATIONSHIP -- that the record is in it
//   r: NODE? -- a record
//   pairs: LIST<RELATIONSHIP> -- its pairs with later records of the group
//   position: INTEGER -- the record's place in the data
// key: r
// facts:
//   r draws at most 200 of audit/record-groups by hamming_group
// order: position
// reads: Dataset, Record, HammingGroup, IN_GROUP, PROXIMATE
// writes: nothing
// complexity: O(records of the group and their pairs)
// example: ratingpriv query run browse/hamming-group --param dataset=survey --param hamming_group=0 --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (r:Record {dataset: $dataset})-[i:IN_GROUP]->(g:HammingGroup {dataset: $dataset, id: $hamming_group})
WITH g, i, r
ORDER BY r.position
LIMIT 200
WITH g, collect(i) AS memberships, collect(r) AS members, max(r.position) AS last
UNWIND range(0, size(members) - 1) AS place
WITH g, last, memberships[place] AS i, members[place] AS r
OPTIONAL MATCH (r)-[p:PROXIMATE]->(later:Record {hammingGroup: $hamming_group})
WHERE p.distance <= $epsilon AND later.position <= last
WITH g, i, r, p
ORDER BY p.distance
RETURN g, i, r, collect(p) AS pairs, r.position AS position
ORDER BY position
