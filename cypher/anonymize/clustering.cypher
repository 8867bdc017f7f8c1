// title: Average clustering coefficient of the proximity graph before and after
// definition: the mean of the local clustering coefficients, those with fewer than two neighbours counted as 0 [SWLP10, §5.4]
//   No row at all means that one of the two graphs cannot answer: it is not there, not complete, or was loaded for a
//   smaller epsilon. A release without records has no second row.
// params:
//   dataset: STRING -- name the original was ingested under
//   run: STRING of release -- name of the release
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most both datasets' epsilonMax
// columns:
//   graph: STRING -- before or after
//   records: INTEGER -- records looked at
//   pairs: INTEGER -- proximate pairs
//   triangles: INTEGER -- triples of records that are proximate with each other
//   coefficient: FLOAT -- the mean
// order: graph (before, after)
// reads: Dataset, Record, PROXIMATE, Release
// writes: nothing
// complexity: O(sum of squared degrees, times a look into a list as long as a degree); sensible while that sum
//   stays below some 10 million
// example: ratingpriv query run anonymize/clustering --param dataset=survey --param run=a --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (x:Release {dataset: $dataset, run: $run, complete: true})
MATCH (e:Dataset {name: x.released})
WHERE e.complete AND e.edges = 'all' AND $epsilon <= e.epsilonMax
UNWIND [{place: 0, name: d.name}, {place: 1, name: e.name}] AS one
WITH one.place AS place, one.name AS name
MATCH (r:Record {dataset: name})
OPTIONAL MATCH (r)-[p:PROXIMATE]-(a:Record)
WHERE p.distance <= $epsilon
WITH place, r, collect(a.position) AS near
WITH place, r, size(near) AS degree, COUNT {
    // every pair of neighbours once: PROXIMATE points from the smaller to the larger position
    MATCH (r)-[p:PROXIMATE]-(a:Record)-[q:PROXIMATE]->(b:Record)
    WHERE p.distance <= $epsilon AND q.distance <= $epsilon AND b.position IN near
} AS triangles
WITH place, count(r) AS records, sum(degree) AS ends, sum(triangles) AS corners,
     avg(CASE WHEN degree < 2 THEN 0.0 ELSE 2.0 * triangles / (degree * (degree - 1)) END) AS coefficient
RETURN CASE WHEN place = 0 THEN 'before' ELSE 'after' END AS graph, records, ends / 2 AS pairs,
       corners / 3 AS triangles, coefficient
ORDER BY place
