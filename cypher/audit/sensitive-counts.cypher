// title: How often does each sensitive rating occur in every neighbourhood?
// definition: what the largest share of one value, distinct l-diversity and entropy l-diversity [Machanavajjhala et
//   al. 2007] of N(t) [SWLZ11, Def. 4.2] are made of. A null is no value.
//   A neighbourhood without a known rating has no row. No row at all may also mean that the issue is unknown or not
//   sensitive, or that the dataset cannot answer.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   issue: STRING of sensitive-issue -- name of the sensitive issue
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   position: INTEGER -- the record's 0-based place in the data
//   rating: FLOAT -- a sensitive rating that is known in its neighbourhood
//   records: INTEGER -- how many records there give it, the record itself included
// key: position, rating
// order: position, rating
// reads: Dataset, Record, Issue, RATED, PROXIMATE
// writes: nothing
// complexity: O(records + pairs); sensible up to some 5 million pairs
// example: ratingpriv query run audit/sensitive-counts --param dataset=survey --param issue=income --param epsilon=1
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
    RETURN collect(CASE WHEN rating <> 'null' THEN rating END) AS others
}
WITH r.position AS position, CASE WHEN given[r.position] = 'null' THEN others ELSE others + [given[r.position]] END AS ratings
UNWIND ratings AS rating
WITH position, rating, count(*) AS records
RETURN position, rating, records
ORDER BY position, rating
