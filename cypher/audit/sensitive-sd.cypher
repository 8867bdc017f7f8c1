// title: How far do the sensitive ratings in every neighbourhood differ?
// definition: SD of N(t) on a sensitive issue [SWLZ11, Eq. 3], under both null rules: by the paper's a null counts as
//   the mean squared; ignore leaves nulls out
//   No row at all means that the issue is unknown, nominal or not sensitive, or that the dataset cannot answer.
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
// order: position
// reads: Dataset, Record, Issue, RATED, PROXIMATE
// writes: nothing
// complexity: O(records + pairs); sensible up to some 5 million pairs
// example: ratingpriv query run audit/sensitive-sd --param dataset=survey --param issue=income --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (s:Issue {dataset: $dataset, name: $issue, sensitive: true})
WHERE s.labels IS NULL
MATCH (r:Record {dataset: $dataset})
OPTIONAL MATCH (r)-[mine:RATED]->(s)
OPTIONAL MATCH (r)-[p:PROXIMATE]-(near:Record)
WHERE p.distance <= $epsilon
OPTIONAL MATCH (near)-[theirs:RATED]->(s)
WITH r, s, mine, count(near) + 1 AS g, collect(theirs.rating) AS others
WITH r, s, g, CASE WHEN mine IS NULL THEN others ELSE others + [mine.rating] END AS ratings
WITH r, s, g, ratings, size(ratings) AS q,
     reduce(total = 0.0, x IN ratings | total + x) AS total
WITH  r, s, g, q, ratings, CASE WHEN q > 0 THEN total / q END AS mean
WITH  r, s, g, q, mean, reduce(squares = 0.0, x IN ratings | squares + (x - mean) * (x - mean)) AS squares
RETURN r.id AS record, r.position AS position, g AS size, q AS known, mean,
       // a null contributes mean^2: (s +- null)^2 with "s +- null = s"
       CASE WHEN q > 0 THEN sqrt((squares + (g - q) * mean * mean) / g) END AS sd_paper,
       CASE WHEN q > 0 THEN sqrt(squares / q) END AS sd_ignore
ORDER BY position
