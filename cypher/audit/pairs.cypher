// title: The proximate pairs of some of the records
// definition: the edges of the graph whose nodes are the records [SWLP10, §4.3], at this epsilon; each pair once, at
//   its earlier record. No row means none, or that the dataset cannot answer (see audit/degree-check).
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   start: INTEGER >= 0 -- position of the first record whose pairs are wanted
//   stop: INTEGER >= 0 -- position behind that of the last one
// columns:
//   earlier: INTEGER -- position of the earlier record
//   later: INTEGER -- position of the later one
//   distance: FLOAT -- of the two
// order: earlier, later
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(pairs of these records)
// example: ratingpriv query run audit/pairs --param dataset=survey --param epsilon=1 --param start=0 --param stop=10
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (a:Record {dataset: $dataset})-[p:PROXIMATE]->(b:Record)
WHERE a.position >= $start AND a.position < $stop AND p.distance <= $epsilon
RETURN a.position AS earlier, b.position AS later, p.distance AS distance
ORDER BY earlier, later
