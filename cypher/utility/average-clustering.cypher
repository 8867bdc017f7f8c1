// title: Average clustering coefficient of the proximity graph
// definition: the mean of the local clustering coefficients over all records, those with fewer than two neighbours
//   counted as 0 [SWLP10, §5.4]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   records: INTEGER -- records looked at
//   pairs: INTEGER -- proximate pairs
//   triangles: INTEGER -- triples of records that are proximate with each other
//   coefficient: FLOAT -- the mean
// order: none (one row, or none where the dataset has no records or cannot answer)
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(sum of squared degrees, times a look into a list as long as a degree); sensible while
//   that sum stays below some 10 million
// example: ratingpriv query run utility/average-clustering --param dataset=survey --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (r:Record {dataset: $dataset})
OPTIONAL MATCH (r)-[p:PROXIMATE]-(a:Record)
WHERE p.distance <= $epsilon
WITH r, collect(a.position) AS near
WITH r, size(near) AS degree, COUNT {
    // every pair of neighbours once: PROXIMATE points from the smaller to the larger position
    MATCH (r)-[p:PROXIMATE]-(a:Record)-[q:PROXIMATE]->(b:Record)
    WHERE p.distance <= $epsilon AND q.distance <= $epsilon AND b.position IN near
} AS triangles
WITH count(r) AS records, sum(degree) AS ends, sum(triangles) AS corners,
     avg(CASE WHEN degree < 2 THEN 0.0 ELSE 2.0 * triangles / (degree * (degree - 1)) END) AS coefficient
WHERE records > 0
RETURN records, ends / 2 AS pairs, corners / 3 AS triangles, coefficient
ORDER BY records
