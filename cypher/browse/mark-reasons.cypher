// title: Draw the reasons: records within epsilon of a record at risk, and the items that separate the closest others
// definition: the pairs of N(t) [SWLZ11, Def. 4.1-4.2] of the first 20 records with |N(t)| < k become WITHIN, the nearest
//   9; BEYOND leads to the 3 that differ in the fewest ratings among all others, and says in because which these are, the
//   record's own first (- has no meaning). Where the ratings are not in the store BEYOND leads to the nearest of the pairs
//   beyond epsilon, if any were loaded, and says how far apart they are. browse/at-risk draws both.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   records: INTEGER -- records at risk that have lines now, at most 20; 0 means that no record is at risk, or that the
//     dataset cannot answer
//   within: INTEGER -- lines to records within epsilon
//   beyond: INTEGER -- lines to records beyond it
// order: none (one row)
// reads: Dataset, Record, HammingGroup, IN_GROUP, Issue, RATED, PROXIMATE-AT-RISK
// writes: WITHIN, BEYOND
// complexity: O(20 * ratings + pairs of 20 records); at an epsilon without sizes O(pairs) more. browse/unmark takes the
//   lines away
// example: ratingpriv query run browse/mark-reasons --param dataset=survey --param k=5 --param epsilon=1
CALL () {  // the lines of before are removed
    MATCH (r:Record {dataset: $dataset})
    RETURN r
}
OPTIONAL MATCH (r)-[old:WITHIN|BEYOND]->(:Record)
WITH collect(old) AS lines
FOREACH (old IN lines | DELETE old)
WITH size(lines) AS removed
OPTIONAL MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND $epsilon <= d.epsilonMax AND $k >= 1
  AND (d.edges = 'all' OR (d.edges = 'at-risk' AND $epsilon = d.epsilonMax AND $k <= d.k))
WITH d, CASE WHEN $epsilon >= 0 AND (d.everyLevel OR $epsilon IN d.levels)
    THEN size([level IN d.levels WHERE level <= $epsilon]) - 1
END AS level, d.nulls = 'strict' AND coalesce(d.scaleMax <= 0.0 OR $epsilon < d.scaleMax, true) AS separates
CALL (d, level) {  // who is at risk: by the sizes of the records, or by their pairs where there are none
    MATCH (r:Record {dataset: $dataset})
    WHERE d IS NOT NULL AND level IS NOT NULL AND r.sizes[level] < $k
    RETURN r.position AS position, r.sizes[level] AS size
  UNION ALL
    MATCH (r:Record {dataset: $dataset})
    WHERE d IS NOT NULL AND level IS NULL
    RETURN r.position AS position,
           COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } + 1 AS size
}
WITH d, separates, position, size
WHERE size < $k
ORDER BY size, position
LIMIT 20
WITH d, separates, collect(position) AS places
CALL (places) {  // the records of these places, by one scan
    MATCH (r:Record {dataset: $dataset})
    WHERE r.position IN places
    RETURN r
}
CALL (r) {  // their pairs, the nearest first
    MATCH (r)-[p:PROXIMATE]-(later:Record)
    WITH p, later
    ORDER BY p.distance, later.position
    RETURN collect({place: later.position, distance: p.distance}) AS pairs
}
CALL (d, r) {  // how many answers each gave
    MATCH (r)-[:RATED]->(i:Issue {sensitive: false})
    WHERE d.allRatings
    RETURN count(i) AS own
}
CALL (d, separates, r, own) {  // everybody else, who differs in the fewest answers first
    MATCH (r)-[a:RATED]->(i:Issue {sensitive: false})
    MATCH (i)<-[b:RATED]-(later:Record)
    WHERE d.allRatings AND later.position <> r.position
    WITH d, separates, r, own, later, count(i) AS common,
         sum(CASE WHEN abs(a.rating - b.rating) > $epsilon + 1e-9 THEN 1 ELSE 0 END) AS differing
    MATCH (later)-[:IN_GROUP]->(g:HammingGroup)
    WITH later.position AS place, differing,
         differing + CASE WHEN separates THEN own + g.supportSize - 2 * common ELSE 0 END
         + size([q IN range(0, size(coalesce(r.quasiCode, [])) - 1) WHERE NOT CASE
             WHEN r.quasiCode[q] < 0 OR later.quasiCode[q] < 0 THEN d.nulls = 'wildcard' OR r.quasiCode[q] = later.quasiCode[q]
             ELSE r.quasiLeast[q] <= later.quasiCode[q] AND later.quasiCode[q] <= r.quasiMost[q] END]) AS answers
    ORDER BY answers, differing DESC, place
    RETURN collect(place) AS others
}
WITH d, separates, r, others, [x IN pairs WHERE x.distance <= $epsilon] AS near, [x IN pairs WHERE x.distance > $epsilon] AS far
WITH d, separates, r, near[0..9] AS near, CASE WHEN d.allRatings
    THEN [x IN [place IN others WHERE NOT place IN [x IN near | x.place]][0..3] | {place: x}] ELSE far[0..3] END AS far
CALL (r, near) {  // lines to the nearest within epsilon
    UNWIND range(0, size(near) - 1) AS rank
    MATCH (n:Record {position: near[rank].place, dataset: $dataset})
    CREATE (r)-[w:WITHIN {rank: rank, epsilon: $epsilon, distance: near[rank].distance}]->(n)
    RETURN count(w) AS within
}
CALL (d, separates, r, far) {  // lines to the closest beyond it, and in because the answers that keep them apart
    UNWIND range(0, size(far) - 1) AS rank
    MATCH (n:Record {position: far[rank].place, dataset: $dataset})
    OPTIONAL MATCH (i:Issue {dataset: $dataset, sensitive: false})
    WHERE d.allRatings
    OPTIONAL MATCH (r)-[a:RATED]->(i)
    OPTIONAL MATCH (n)-[b:RATED]->(i)
    WITH separates, r, far, rank, n, i, a.rating AS own, b.rating AS other
    ORDER BY i.position
    WITH r, far, rank, n, collect(CASE
        WHEN abs(own - other) > $epsilon + 1e-9 OR (separates AND (own IS NULL) <> (other IS NULL))
        THEN i.name + ' ' + coalesce(toString(CASE WHEN own = toInteger(own) THEN toInteger(own) ELSE own END), '-')
            + '≠' + coalesce(toString(CASE WHEN other = toInteger(other) THEN toInteger(other) ELSE other END), '-')
    END) AS answers
    WITH r, rank, n, far[rank].distance AS apart, answers
    WITH r, rank, n, answers + CASE
        WHEN apart IS NOT NULL THEN [toString(CASE WHEN apart = toInteger(apart) THEN toInteger(apart) ELSE apart END) + ' apart']
        WHEN r.quasiValues <> n.quasiValues AND size(answers) = 0 THEN [r.quasiValues + ' ≠ ' + n.quasiValues] ELSE [] END AS answers
    CREATE (r)-[w:BEYOND {rank: 9 + rank, epsilon: $epsilon, because: reduce(because = answers[0], answer IN answers[1..3] |
        because + ', ' + answer) + CASE WHEN size(answers) > 3 THEN ' and ' + toString(size(answers) - 3) + ' more' ELSE '' END}]->(n)
    RETURN count(w) AS beyond
}
WITH count(r) AS records, sum(within) AS within, sum(beyond) AS beyond
RETURN records, coalesce(within, 0) AS within, coalesce(beyond, 0) AS beyond
ORDER BY records
