// title: Which records are in the neighbourhood of a record?
// definition: N(t) = t and every record that is epsilon-proximate with it [SWLZ11, Def. 4.1-4.2]
//   T is always there: no row means an unknown record, or that the dataset cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   record: ANY of record -- id of the record t
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   distance: FLOAT -- largest difference over the issues; 0 for t itself
//   hamming_group: INTEGER -- its Hamming group
// key: position
// order: distance, position
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(neighbours of t)
// example: ratingpriv query run audit/neighbourhood --param dataset=survey --param record=t1 --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (t:Record {dataset: $dataset})
WHERE t.id = $record
OPTIONAL MATCH (t)-[p:PROXIMATE]-(near:Record)
WHERE p.distance <= $epsilon
WITH t, collect(CASE WHEN near IS NOT NULL
     THEN {id: near.id, position: near.position, distance: p.distance, group: near.hammingGroup} END) AS others
UNWIND [{id: t.id, position: t.position, distance: 0.0, group: t.hammingGroup}] + others AS member
RETURN member.id AS record, member.position AS position, member.distance AS distance, member.group AS hamming_group
ORDER BY distance, position
