// title: How close is every record's neighbourhood to a clique?
// definition: local clustering coefficient: pairs of neighbours that are proximate themselves, out of all pairs of
//   neighbours; 0 with fewer than two neighbours [SWLP10, §5.4]
//   No row at all means that the dataset cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   degree: INTEGER -- its neighbours, itself not counted
//   triangles: INTEGER -- pairs of its neighbours that are proximate
//   coefficient: FLOAT -- 2 * triangles / (degree * (degree - 1))
// key: position
// order: position
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(pairs^1.5) looks into a list, which the embedded store reads through; memory O(pairs). Sensible up to
//   some 100,000 pairs; ratingpriv utility measures larger graphs without a store
// example: ratingpriv query run utility/local-clustering --param dataset=survey --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (r:Record {dataset: $dataset})
OPTIONAL MATCH (r)-[p:PROXIMATE]-(a:Record)
WHERE p.distance <= $epsilon
WITH r.id AS record, r.position AS position, collect(a.position) AS near
ORDER BY position
WITH collect(record) AS ids, collect(position) AS positions, collect(near) AS nears
WHERE positions = range(0, size(positions) - 1)  // they are the places in the lists
WITH ids, positions, nears, [near IN nears | size(near)] AS degrees,
     [a IN positions | size(nears[a]) * size(positions) + a] AS ranks
// pairs point to the higher degree, then position: no list is long, and a triangle is found once, at its lowest pair
WITH ids, degrees, [a IN positions | [b IN nears[a] WHERE ranks[b] > ranks[a]]] AS higher
UNWIND range(0, size(ids) - 1) AS a
UNWIND [a] + higher[a] AS b  // a itself: also records without pairs have a row
WITH ids, degrees, a, b, higher[a] AS x, higher[b] AS y
WITH ids, degrees, a, b, CASE
    WHEN a = b THEN []
    WHEN size(x) > size(y) THEN [c IN y WHERE c IN x]
    ELSE [c IN x WHERE c IN y]
END AS third
WHERE a = b OR size(third) > 0
UNWIND CASE WHEN a = b THEN [a] ELSE [a, b] + third END AS corner
WITH ids[corner] AS record, corner AS position, degrees[corner] AS degree,
     CASE WHEN corner = a OR corner = b THEN size(third) ELSE 1 END AS found
WITH record, position, degree, sum(found) AS triangles
RETURN record, position, degree, triangles,
       CASE WHEN degree < 2 THEN 0.0 ELSE 2.0 * triangles / (degree * (degree - 1)) END AS coefficient
ORDER BY position
