// title: Which records break k or l, and on which sensitive issue?
// definition: the records t with |N(t)| < k or SD(N(t)) < l on a sensitive issue [SWLZ11, Def. 4.3, Eq. 3], under
//   either null rule. Nominal issues have no SD and no row: audit/inference-violators is about those.
//   An SD closer to l than one part in 10^12 counts as l, but not where decimals have too many digits for float64 to
//   tell (a mean of thousands of times l, and more): ratingpriv audit decides ties exactly.
//   No row means that k and l hold under both null rules.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   l: FLOAT >= 0 -- the smallest standard deviation of sensitive ratings that is acceptable
// columns:
//   record: ANY? -- id of the record, as in the data
//   position: INTEGER? -- its 0-based place in the data
//   issue: STRING? -- the sensitive issue
//   size: INTEGER? -- records in its neighbourhood, itself included
//   known: INTEGER? -- how many of them have a sensitive rating
//   sd_paper: FLOAT? -- SD, a null counted by the paper's rule; null where nothing is known
//   sd_ignore: FLOAT? -- SD of the known ratings only; null where nothing is known
//   breaks_k: BOOLEAN? -- the neighbourhood is smaller than k
//   breaks_l_paper: BOOLEAN? -- the SD is below l by the paper's rule
//   breaks_l_ignore: BOOLEAN? -- the SD is below l with nulls left out
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: position, issue
// order: size, position, issue
// reads: Dataset, Record, Issue, RATED, PROXIMATE
// writes: nothing
// complexity: O(sensitive issues * (records + pairs)); sensible up to some 5 million pairs
// example: ratingpriv query run audit/k-epsilon-l-violators --param dataset=survey --param k=5 --param epsilon=1 --param l=1.5
OPTIONAL MATCH (d:Dataset {name: $dataset})
WITH d, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN coalesce(d.edges, '') <> 'all' THEN 'only the pairs of at-risk records were loaded: ingest with all edges'
    WHEN NOT coalesce($epsilon <= d.epsilonMax, false) THEN 'epsilon is above the epsilonMax of the dataset'
    WHEN NOT coalesce($k >= 1, false) THEN 'k is below 1'
    WHEN NOT coalesce($l >= 0, false) THEN 'l is below 0'
END AS problem
OPTIONAL MATCH (s:Issue {dataset: $dataset, sensitive: true})
WHERE problem IS NULL
WITH problem, collect(CASE WHEN s.labels IS NULL THEN s END) AS numeric
UNWIND CASE WHEN size(numeric) = 0 THEN [null] ELSE numeric END AS s
WITH s, CASE WHEN problem IS NULL AND s IS NULL THEN 'the dataset has no sensitive issue of numbers' ELSE problem END AS problem
CALL (s, problem) {
    MATCH (r:Record {dataset: $dataset})
    WHERE problem IS NULL
    OPTIONAL MATCH (r)-[t:RATED]->(s)
    WITH r.position AS position, coalesce(t.rating, 'null') AS rating  // looked up by position for every pair
    ORDER BY position
    RETURN collect(rating) AS given
}
CALL (given, problem) {
    MATCH (r:Record {dataset: $dataset})
    WHERE problem IS NULL
    CALL (r, given) {  // record by record, so that no more than one neighbourhood is kept
        MATCH (r)-[p:PROXIMATE]-(near)
        WHERE p.distance <= $epsilon
        WITH given[near.position] AS rating
        WITH count(*) + 1 AS g, collect(CASE WHEN rating <> 'null' THEN rating END) AS others
        WITH g, CASE WHEN given[r.position] = 'null' THEN others ELSE others + [given[r.position]] END AS ratings
        WITH g, ratings, size(ratings) AS q, reduce(total = 0.0, x IN ratings | total + x) AS total
        WITH g, ratings, q, CASE WHEN q > 0 THEN total / q END AS mean
        RETURN g, q, mean, reduce(squares = 0.0, x IN ratings | squares + (x - mean) * (x - mean)) AS squares
    }
    RETURN collect({id: r.id, position: r.position, g: g, q: q, mean: mean, squares: squares}) AS rows
}
UNWIND CASE WHEN size(rows) = 0 THEN [null] ELSE rows END AS r
WITH problem, r, s, r.g AS g, r.q AS q, r.mean AS mean, r.squares AS squares
WITH problem, r, s, g, q,
     // what an SD has to be: float64 is off by up to 2^-53 of a decimal, and the SD may be by as much
     CASE WHEN $l > 0 THEN $l * 0.999999999999 + abs(mean) * 1.2e-16 ELSE 0.0 END AS least,
     // a null contributes mean^2: (s +- null)^2 with "s +- null = s"; nothing known: any l is satisfied
     CASE WHEN q > 0 THEN sqrt((squares + (g - q) * mean * mean) / g) END AS paper,
     CASE WHEN q > 0 THEN sqrt(squares / q) END AS ignore
WITH problem, r, s, g, q, paper, ignore,
     coalesce(g < $k, false) AS small,
     coalesce(paper < least, false) AS flatPaper,
     coalesce(ignore < least, false) AS flatIgnore
WHERE problem IS NOT NULL OR (r IS NOT NULL AND (small OR flatPaper OR flatIgnore))
RETURN r.id AS record, r.position AS position, s.name AS issue,
       CASE WHEN problem IS NULL THEN g END AS size,
       CASE WHEN problem IS NULL THEN q END AS known,
       paper AS sd_paper, ignore AS sd_ignore,
       CASE WHEN problem IS NULL THEN small END AS breaks_k,
       CASE WHEN problem IS NULL THEN flatPaper END AS breaks_l_paper,
       CASE WHEN problem IS NULL THEN flatIgnore END AS breaks_l_ignore,
       problem
ORDER BY size, position, s.position
