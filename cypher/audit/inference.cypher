// title: What does every neighbourhood give away of a sensitive issue?
// definition: the largest share of one rating among those known in N(t) [SWLZ11, Def. 4.2] (the likeliest value), how many
//   distinct ones are known, and their entropy [Machanavajjhala et al. 2007]. A null is no value.
//   No row at all means that the issue is unknown or not sensitive, or that the dataset cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   issue: STRING of sensitive-issue -- name of the sensitive issue
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   size: INTEGER -- records in its neighbourhood, itself included
//   known: INTEGER -- how many of them have a sensitive rating
//   share: FLOAT? -- largest share of one rating among the known ones; null where nothing is known
//   values: INTEGER -- how many distinct ratings are known; 0: nothing can be learnt
//   entropy: FLOAT? -- entropy of the known ratings in bits; null where nothing is known
// key: position
// facts:
//   values counts audit/sensitive-counts where rating by position
// order: position
// reads: Dataset, Record, Issue, RATED, PROXIMATE
// writes: nothing
// complexity: O(records + pairs); sensible up to some 5 million pairs
// example: ratingpriv query run audit/inference --param dataset=survey --param issue=income --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (s:Issue {dataset: $dataset, name: $issue, sensitive: true})
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
    // a row with null keeps the neighbourhoods of which nothing is known; count(null) is 0
    UNWIND CASE WHEN size(ratings) = 0 THEN [null] ELSE ratings END AS rating
    WITH g, rating, count(rating) AS times
    RETURN g, sum(times) AS q, max(times) AS most, sum(CASE WHEN times > 0 THEN 1 ELSE 0 END) AS values,
           sum(CASE WHEN times > 0 THEN times * log(toFloat(times)) ELSE 0.0 END) AS logs
}
WITH collect({record: r.id, position: r.position, g: g, q: q, most: most, values: values, logs: logs}) AS rows  // and no longer given
UNWIND rows AS row
WITH row, row.g AS g, row.q AS q, row.most AS most, row.values AS values, row.logs AS logs
RETURN row.record AS record, row.position AS position, g AS size, q AS known,
       CASE WHEN q > 0 THEN toFloat(most) / q END AS share,
       values,
       CASE WHEN q = 0 THEN null WHEN values = 1 THEN 0.0 ELSE (log(toFloat(q)) - logs / q) / log(2.0) END AS entropy
ORDER BY position
