// title: The proximate pairs of some of the records
// definition: the edges of the graph whose nodes are the records [SWLP10, §4.3], at this epsilon; each pair once, at
//   its earlier record. No row means none, or that the dataset cannot be queried (see audit/degree-check).
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   first: INTEGER >= 0 -- only pairs whose earlier record is from this 0-based place in the data on; 0 for all
//   last: INTEGER >= 0 -- and before this place; the number of records, or more, for all
// columns:
//   earlier: INTEGER -- position of the earlier record
//   later: INTEGER -- position of the later one
//   distance: FLOAT -- of the two
// key: earlier, later
// order: earlier, later
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(pairs of these records)
// example: ratingpriv query run audit/pairs --param dataset=survey --param epsilon=1 --param first=0 --param last=10
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (a:Record {dataset: $dataset})-[p:PROXIMATE]->(b:Record)
WHERE a.position >= $first AND a.position < $last AND p.distance <= $epsilon
RETURN a.position AS earlier, b.position AS later, p.distance AS distance
ORDER BY earlier, later
