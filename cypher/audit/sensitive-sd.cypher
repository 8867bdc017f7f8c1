// title: How far do the sensitive ratings in every neighbourhood differ?
// definition: SD of N(t) on a sensitive issue [SWLZ11, Eq. 3], under both null rules: by the paper's a null counts as
//   the mean squared; ignore leaves nulls out
//   No row at all means that the issue is unknown, nominal or not sensitive, or that the dataset cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   issue: STRING of numeric-issue -- name of the sensitive issue, which is of numbers, not nominal
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   size: INTEGER -- records in its neighbourhood, itself included
//   known: INTEGER -- how many of them have a sensitive rating
//   mean: FLOAT? -- mean of these ratings, null if there is none
//   sd_paper: FLOAT? -- SD, a null counted by the paper's rule; null where nothing is known (then any l is satisfied)
//   sd_ignore: FLOAT? -- SD of the known ratings only; null where nothing is known
// key: position
// order: position
// reads: Dataset, Record, Issue, RATED, PROXIMATE
// writes: nothing
// complexity: O(records + pairs); sensible up to some 5 million pairs
// example: ratingpriv query run audit/sensitive-sd --param dataset=survey --param issue=income --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (s:Issue {dataset: $dataset, name: $issue, sensitive: true})
WHERE s.labels IS NULL
CALL (s) {  // all ratings of the issue by position, looked up there for every pair
    MATCH (r:Record {dataset: $dataset})
    OPTIONAL MATCH (r)-[t:RATED]->(s)
    WITH r.position AS position, coalesce(t.rating, 'null') AS rating
    ORDER BY position
    RETURN collect(rating) AS given
}
MATCH (r:Record {dataset: $dataset})
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
WITH collect({record: r.id, position: r.position, g: g, q: q, mean: mean, squares: squares}) AS rows  // and no longer given
UNWIND rows AS row
WITH row, row.g AS g, row.q AS q, row.mean AS mean, row.squares AS squares
RETURN row.record AS record, row.position AS position, g AS size, q AS known, mean,
       // a null contributes mean^2: (s +- null)^2 with "s +- null = s"
       CASE WHEN q > 0 THEN sqrt((squares + (g - q) * mean * mean) / g) END AS sd_paper,
       CASE WHEN q > 0 THEN sqrt(squares / q) END AS sd_ignore
ORDER BY position
