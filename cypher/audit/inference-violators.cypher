// title: Which neighbourhoods give a sensitive issue away?
// definition: the records t in whose N(t) [SWLZ11, Def. 4.2] one rating of a sensitive issue makes up more than a share
//   of the known ones, or fewer than L distinct ones are known (distinct l-diversity), or their entropy is below log L
//   (entropy l-diversity) [Machanavajjhala et al. 2007]. A null is no value; where nothing is known, nothing can be
//   learnt. A share or an entropy closer to what is demanded than one part in 10^12 counts as it: ratingpriv audit decides
//   such ties exactly.
//   No row means that all demands hold. max_share 1, min_distinct 1 and min_entropy 1 demand nothing.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   max_share: FLOAT > 0 <= 1 -- the largest share of one rating that is acceptable, above 0 and at most 1
//   min_distinct: INTEGER >= 1 -- the fewest distinct ratings that are acceptable
//   min_entropy: FLOAT >= 1 -- L of entropy l-diversity, at least 1
// columns:
//   record: ANY? -- id of the record, as in the data
//   position: INTEGER? -- its 0-based place in the data
//   issue: STRING? -- the sensitive issue
//   size: INTEGER? -- records in its neighbourhood, itself included
//   known: INTEGER? -- how many of them have a sensitive rating
//   share: FLOAT? -- largest share of one rating among the known ones
//   values: INTEGER? -- how many distinct ratings are known
//   entropy: FLOAT? -- entropy of the known ratings in bits
//   breaks_max_share: BOOLEAN? -- the share is above max_share
//   breaks_distinct: BOOLEAN? -- fewer distinct ratings than requested
//   breaks_entropy: BOOLEAN? -- the entropy is below log L
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: position, issue
// order: size, position, issue
// reads: Dataset, Record, Issue, RATED, PROXIMATE
// writes: nothing
// complexity: O(sensitive issues * (records + pairs)); sensible up to some 5 million pairs
// example: ratingpriv query run audit/inference-violators --param dataset=survey --param epsilon=1 --param max_share=0.8 --param min_distinct=2 --param min_entropy=1.5
OPTIONAL MATCH (d:Dataset {name: $dataset})
WITH d, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN coalesce(d.edges, '') <> 'all' THEN 'only the pairs of at-risk records were loaded: ingest with all edges'
    WHEN NOT coalesce($epsilon <= d.epsilonMax, false) THEN 'epsilon is above the epsilonMax of the dataset'
    WHEN NOT coalesce($max_share > 0 AND $max_share <= 1, false) THEN 'max_share is not above 0 and at most 1'
    WHEN NOT coalesce($min_distinct >= 1, false) THEN 'min_distinct is below 1'
    WHEN NOT coalesce($min_entropy >= 1, false) THEN 'min_entropy is below 1'
END AS problem
OPTIONAL MATCH (s:Issue {dataset: $dataset, sensitive: true})
WHERE problem IS NULL
WITH s, CASE WHEN problem IS NULL AND s IS NULL THEN 'the dataset has no sensitive issue' ELSE problem END AS problem
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
        // a row with null keeps the neighbourhoods of which nothing is known; count(null) is 0
        UNWIND CASE WHEN size(ratings) = 0 THEN [null] ELSE ratings END AS rating
        WITH g, rating, count(rating) AS times
        RETURN g, sum(times) AS q, max(times) AS most, sum(CASE WHEN times > 0 THEN 1 ELSE 0 END) AS values,
               sum(CASE WHEN times > 0 THEN times * log(toFloat(times)) ELSE 0.0 END) AS logs
    }
    RETURN collect({id: r.id, position: r.position, g: g, q: q, most: most, values: values, logs: logs}) AS rows
}
UNWIND CASE WHEN size(rows) = 0 THEN [null] ELSE rows END AS r
WITH problem, r, s, r.g AS g, r.q AS q, r.most AS most, r.values AS values, r.logs AS logs
WITH problem, r, s, g, q, values, CASE WHEN q > 0 THEN toFloat(most) / q END AS share,
     CASE WHEN q = 0 THEN null WHEN values = 1 THEN 0.0 ELSE log(toFloat(q)) - logs / q END AS entropy
WITH problem, r, s, g, q, values, share, entropy,
     coalesce(share > $max_share * 1.000000000001, false) AS guessed,
     coalesce(q > 0 AND values < $min_distinct, false) AS few,
     coalesce(entropy < log($min_entropy) - 0.000000000001, false) AS uneven
WHERE problem IS NOT NULL OR (r IS NOT NULL AND (guessed OR few OR uneven))
RETURN r.id AS record, r.position AS position, s.name AS issue,
       CASE WHEN problem IS NULL THEN g END AS size,
       CASE WHEN problem IS NULL THEN q END AS known,
       share,
       CASE WHEN problem IS NULL THEN values END AS values,
       entropy / log(2.0) AS entropy,
       CASE WHEN problem IS NULL THEN guessed END AS breaks_max_share,
       CASE WHEN problem IS NULL THEN few END AS breaks_distinct,
       CASE WHEN problem IS NULL THEN uneven END AS breaks_entropy,
       problem
ORDER BY size, position, s.position
