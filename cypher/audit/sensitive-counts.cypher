// title: How often does each sensitive rating occur in every neighbourhood?
// definition: what the largest share of one value, distinct l-diversity and entropy l-diversity [Machanavajjhala et
//   al. 2007] and SD [SWLZ11, Eq. 3] of N(t) [SWLZ11, Def. 4.2] are made of. A null is no value, and comes last.
//   No row at all means that the issue is unknown or not sensitive, or that the dataset cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   issue: STRING of sensitive-issue -- name of the sensitive issue
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   position: INTEGER -- the record's 0-based place in the data
//   rating: FLOAT? -- a sensitive rating that is known in its neighbourhood, or null
//   records: INTEGER -- how many records there give it (for null: give none), the record itself included
// key: position, rating
// order: position, rating
// reads: Dataset, Record, Issue, RATED, PROXIMATE
// writes: nothing
// complexity: O(records + pairs); sensible up to some 5 million pairs
// example: ratingpriv query run audit/sensitive-counts --param dataset=survey --param issue=income --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (s:Issue {dataset: $dataset, name: $issue, sensitive: true})
MATCH (near:Record {dataset: $dataset})
OPTIONAL MATCH (near)-[x:RATED]->(s)
WITH near, x.rating AS rating
CALL (near) {  // record by record, so that no more than one neighbourhood is kept
    MATCH (near)-[p:PROXIMATE]-(r)
    WHERE p.distance <= $epsilon
    RETURN collect(r.position) AS others
}
UNWIND others + [near.position] AS position
WITH position, rating, count(*) AS records
RETURN position, rating, records
ORDER BY position, rating
