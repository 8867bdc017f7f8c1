// title: Average clustering coefficient of the proximity graph before and after
// definition: the mean of the local clustering coefficients, those with fewer than two neighbours counted as 0 [SWLP10, §5.4]
//   No row at all means that one of the two graphs cannot be queried: it is not there, not complete, or was loaded for a
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
// key: graph
// order: graph (before, after)
// reads: Dataset, Record, PROXIMATE, Release
// writes: nothing
// complexity: O(pairs^1.5) looks into a list, which the embedded store reads through; memory O(pairs). Sensible up to
//   some 100,000 pairs; ratingpriv utility measures larger graphs without a store
// example: ratingpriv query run anonymize/clustering --param dataset=survey --param run=a --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (x:Release {dataset: $dataset, run: $run, complete: true})
MATCH (e:Dataset {name: x.released})
WHERE e.complete AND e.edges = 'all' AND $epsilon <= e.epsilonMax
UNWIND [{place: 0, name: d.name}, {place: 1, name: e.name}] AS one
WITH one.place AS place, one.name AS name
MATCH (r:Record {dataset: name})
CALL (r) {
    MATCH (r)-[p:PROXIMATE]-(a:Record)
    WHERE p.distance <= $epsilon
    RETURN collect(a.position) AS near
}
WITH place, r.position AS position, near
ORDER BY place, position
WITH place, collect(position) AS positions, collect(near) AS nears
WHERE positions = range(0, size(positions) - 1)  // they are the places in the lists
WITH place, positions, nears, [near IN nears | size(near)] AS degrees,
     [a IN positions | size(nears[a]) * size(positions) + a] AS ranks
// pairs point to the higher degree, then position: no list is long, and a triangle is found once, at its lowest pair
WITH place, size(positions) AS records, reduce(ends = 0, degree IN degrees | ends + degree) AS ends,
     [degree IN degrees | CASE WHEN degree < 2 THEN 0.0 ELSE 2.0 / (degree * (degree - 1)) END] AS weights,
     [a IN positions | [b IN nears[a] WHERE ranks[b] > ranks[a]]] AS higher
UNWIND range(0, records - 1) AS a
UNWIND CASE WHEN a = 0 THEN [a] + higher[a] ELSE higher[a] END AS b  // one row also where there is no pair
WITH place, records, ends, weights, a, b, higher[a] AS x, higher[b] AS y
WHERE a = b OR (size(x) > 1 AND size(y) > 0)
WITH place, records, ends, weights, a, b, CASE
    WHEN a = b THEN []
    WHEN size(x) > size(y) THEN [c IN y WHERE c IN x]
    ELSE [c IN x WHERE c IN y]
END AS third
WHERE a = b OR size(third) > 0
WITH place, max(records) AS records, max(ends) AS ends, sum(size(third)) AS triangles,
     sum(size(third) * (weights[a] + weights[b]) + reduce(rest = 0.0, c IN third | rest + weights[c])) AS coefficients
RETURN CASE WHEN place = 0 THEN 'before' ELSE 'after' END AS graph, records, ends / 2 AS pairs,
       triangles, coefficients / records AS coefficient
ORDER BY place
