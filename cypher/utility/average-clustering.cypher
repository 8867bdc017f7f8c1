// title: Average clustering coefficient of the proximity graph
// definition: the mean of the local clustering coefficients over all records, those with fewer than two neighbours
//   counted as 0 [SWLP10, §5.4]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   part: INTEGER >= 0 = 0 -- which part of the triangles to look for; what all parts find, and coefficient, is to be added up
//   parts: INTEGER >= 1 = 1 -- of how many parts, for a store that ends long statements
// columns:
//   records: INTEGER -- records looked at
//   pairs: INTEGER -- proximate pairs
//   triangles: INTEGER -- triples of records that are proximate with each other
//   coefficient: FLOAT -- the mean
// order: none (one row, or none where the dataset has no records or cannot be queried)
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(pairs) and a part of O(pairs^1.5) looks into lists; memory O(pairs). Sensible up to some million pairs;
//   ratingpriv utility measures larger graphs without a store
// example: ratingpriv query run utility/average-clustering --param dataset=survey --param epsilon=1 --param part=0 --param parts=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (r:Record {dataset: $dataset})
OPTIONAL MATCH (r)-[p:PROXIMATE]-(a:Record)
WHERE p.distance <= $epsilon
WITH r.position AS position, collect(a.position) AS near
ORDER BY position
WITH collect(position) AS positions, collect(near) AS nears
WHERE positions = range(0, size(positions) - 1)  // they are the places in the lists
WITH positions, nears, [near IN nears | size(near)] AS degrees,
     [a IN positions | size(nears[a]) * size(positions) + a] AS ranks
// pairs point to the higher degree, then position: no list is long, and a triangle is found once, at its lowest pair
WITH size(positions) AS records, reduce(ends = 0, degree IN degrees | ends + degree) AS ends,
     [degree IN degrees | CASE WHEN degree < 2 THEN 0.0 ELSE 2.0 / (degree * (degree - 1)) END] AS weights,
     [a IN positions | [b IN nears[a] WHERE ranks[b] > ranks[a]]] AS higher
UNWIND range($part, records - 1, $parts) AS a
UNWIND CASE WHEN a = $part THEN [a] + higher[a] ELSE higher[a] END AS b  // one row also where there is no pair
WITH records, ends, weights, a, b, higher[a] AS x, higher[b] AS y
WHERE a = b OR (size(x) > 1 AND size(y) > 0)
WITH records, ends, weights, a, b, CASE
    WHEN a = b THEN []
    WHEN size(x) > size(y) THEN [c IN y WHERE c IN x]
    ELSE [c IN x WHERE c IN y]
END AS third
WHERE a = b OR size(third) > 0
WITH max(records) AS records, max(ends) AS ends, sum(size(third)) AS triangles,
     sum(size(third) * (weights[a] + weights[b]) + reduce(rest = 0.0, c IN third | rest + weights[c])) AS coefficients
WHERE records > 0
RETURN records, ends / 2 AS pairs, triangles, coefficients / records AS coefficient
ORDER BY records
