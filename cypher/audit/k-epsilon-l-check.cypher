// title: Do k, epsilon and l hold? One row a sensitive issue
// definition: |N(t)| >= k and SD(N(t)) >= l for every record t and sensitive issue [SWLZ11, Def. 4.3, Eq. 3], under
//   both null rules. Nominal issues have no SD and no row: audit/inference is about those. An SD closer to l than one
//   part in 10^12 counts as l, but not where decimals have too many digits for float64 to tell (a mean of thousands of
//   times l, and more): ratingpriv audit decides ties exactly.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   l: FLOAT >= 0 -- the smallest standard deviation of sensitive ratings that is acceptable
// columns:
//   issue: STRING? -- the sensitive issue
//   satisfied_paper: BOOLEAN? -- k and l hold, a null counted by the paper's rule
//   satisfied_ignore: BOOLEAN? -- k and l hold, nulls left out
//   records: INTEGER? -- records looked at
//   min_size: INTEGER? -- the smallest neighbourhood
//   max_l_paper: FLOAT? -- smallest SD by the paper's rule, as float64 has it; null if nothing is known anywhere
//   max_l_ignore: FLOAT? -- smallest SD with nulls left out
//   violators_paper: INTEGER? -- records below k or l by the paper's rule
//   violators_ignore: INTEGER? -- records below k or l with nulls left out
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: issue
// facts:
//   violators_paper counts audit/k-epsilon-l-violators where breaks_k or breaks_l_paper by issue
//   violators_ignore counts audit/k-epsilon-l-violators where breaks_k or breaks_l_ignore by issue
// order: issue
// reads: Dataset, Record, Issue, RATED, PROXIMATE
// writes: nothing
// complexity: O(sensitive issues * (records + pairs)); sensible up to some 5 million pairs
// example: ratingpriv query run audit/k-epsilon-l-check --param dataset=survey --param k=5 --param epsilon=1 --param l=1.5
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
WITH problem, r, s, g,
     // what an SD has to be: float64 is off by up to 2^-53 of a decimal, and the SD may be by as much
     CASE WHEN $l > 0 THEN $l * 0.999999999999 + abs(mean) * 1.2e-16 ELSE 0.0 END AS least,
     // a null contributes mean^2: (s +- null)^2 with "s +- null = s"; nothing known: any l is satisfied
     CASE WHEN q > 0 THEN sqrt((squares + (g - q) * mean * mean) / g) END AS paper,
     CASE WHEN q > 0 THEN sqrt(squares / q) END AS ignore
WITH problem, s, count(r) AS records, min(g) AS smallest, min(paper) AS paper, min(ignore) AS ignore,
     sum(CASE WHEN g < $k OR paper < least THEN 1 ELSE 0 END) AS badPaper,
     sum(CASE WHEN g < $k OR ignore < least THEN 1 ELSE 0 END) AS badIgnore
RETURN s.name AS issue,
       CASE WHEN problem IS NULL AND records > 0 THEN badPaper = 0 END AS satisfied_paper,
       CASE WHEN problem IS NULL AND records > 0 THEN badIgnore = 0 END AS satisfied_ignore,
       CASE WHEN problem IS NULL THEN records END AS records,
       CASE WHEN problem IS NULL AND records > 0 THEN smallest END AS min_size,
       paper AS max_l_paper,
       ignore AS max_l_ignore,
       CASE WHEN problem IS NULL THEN badPaper END AS violators_paper,
       CASE WHEN problem IS NULL THEN badIgnore END AS violators_ignore,
       CASE WHEN problem IS NULL AND records = 0 THEN 'the dataset has no records' ELSE problem END AS problem
ORDER BY s.position
