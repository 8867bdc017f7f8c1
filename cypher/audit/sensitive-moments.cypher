// title: Exact sums of the sensitive ratings in every neighbourhood
// definition: what SD [SWLZ11, Eq. 3] is made of: the number of ratings that are not null, their sum and their sum of
//   squares. Every rating counts as the whole number rating * unit - shift, so that no sum is rounded.
//   No row at all means that the issue is unknown or not sensitive, or that the dataset cannot answer.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   issue: STRING of sensitive-issue -- name of the sensitive issue
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   unit: FLOAT > 0 of sensitive-unit -- 10 to the number of decimals of the ratings, 1 for whole ratings
//   shift: INTEGER -- taken off rating * unit to keep squares small, for instance the smallest; or 0
// columns:
//   position: INTEGER -- the record's 0-based place in the data
//   size: INTEGER -- records in its neighbourhood, itself included
//   known: INTEGER -- how many of them have a sensitive rating
//   sum: INTEGER -- sum of the numbers
//   squares: INTEGER -- sum of their squares
// key: position
// order: position
// reads: Dataset, Record, Issue, RATED, PROXIMATE
// writes: nothing
// complexity: O(records + pairs); sensible up to some 5 million pairs
// example: ratingpriv query run audit/sensitive-moments --param dataset=survey --param issue=income --param epsilon=1 --param unit=1 --param shift=0
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
    WITH count(*) + 1 AS size, collect(CASE WHEN rating <> 'null' THEN rating END) AS others
    WITH size, CASE WHEN given[r.position] = 'null' THEN others ELSE others + [given[r.position]] END AS ratings
    WITH size, [x IN ratings | toInteger(round(x * $unit)) - $shift] AS numbers
    RETURN size, size(numbers) AS known, reduce(total = 0, x IN numbers | total + x) AS sum,
           reduce(total = 0, x IN numbers | total + x * x) AS squares
}
WITH collect({position: r.position, size: size, known: known, sum: sum, squares: squares}) AS rows  // and no longer given
UNWIND rows AS row
RETURN row.position AS position, row.size AS size, row.known AS known, row.sum AS sum, row.squares AS squares
ORDER BY position
