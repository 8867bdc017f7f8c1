// title: Which records does an adversary who knows their ratings narrow down to fewer than k?
// definition: the records t with |N(t)| < k under the null rule known: N(t) are the records that rate at least what t
//   rates, each rating within epsilon, t included. It departs from [SWLZ11, Def. 4.1]: what t did not rate is
//   not known. Not symmetric, so it reads ratings and no pairs: epsilon may be any. A record that rates nothing has
//   all records. No row means that every record satisfies k.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   rating_unit: FLOAT >= 0 of rating-unit -- 10 to the number of decimals of the ratings, 1 for whole ratings; 0 compares them as they are
//   reach: FLOAT >= 0 -- epsilon * rating_unit, rounded down; epsilon itself where rating_unit is 0
// columns:
//   record: ANY? -- id of the record, as in the data
//   position: INTEGER? -- its 0-based place in the data
//   size: INTEGER? -- records in its neighbourhood, itself included
//   risk: FLOAT? -- 1 / size, the chance of a random pick among them
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: position
// order: size, position
// reads: Dataset, Record, HammingGroup, Issue, IN_GROUP, RATED-ONLY
// writes: nothing
// complexity: O(ratings * records that rate the same issue); sensible up to some 5 million of these
// example: ratingpriv query run audit/known-violators --param dataset=survey --param k=5 --param rating_unit=1 --param reach=1
OPTIONAL MATCH (d:Dataset {name: $dataset})
OPTIONAL MATCH (:Record {dataset: $dataset})-[x:RATED]->(:Issue {dataset: $dataset, sensitive: false})
WITH d, count(CASE WHEN $rating_unit > 0 AND NOT (abs(x.rating * $rating_unit) <= 1000000000000000.0
     AND round(x.rating * $rating_unit) / $rating_unit = x.rating) THEN x END) AS odd
WITH d, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN NOT coalesce(d.allRatings, false) THEN 'the non-sensitive ratings were not loaded: ingest with --ratings'
    WHEN d.quasi IS NOT NULL THEN 'the dataset has quasi-identifiers, whose rules this query does not know: audit the file'
    WHEN NOT coalesce($k >= 1, false) THEN 'k is below 1'
    WHEN NOT coalesce($reach >= 0, false) THEN 'reach is below 0'
    WHEN NOT coalesce($rating_unit >= 0, false) THEN 'rating_unit is below 0'
    WHEN odd > 0 THEN 'rating_unit does not make every rating whole'
END AS problem
OPTIONAL MATCH (t:Record {dataset: $dataset})-[:IN_GROUP]->(g:HammingGroup)
WHERE problem IS NULL
CALL (t, g) {  // record by record: a server keeps no more than what is near one record
    MATCH (t)-[mine:RATED]->(i:Issue {sensitive: false})
    MATCH (i)<-[theirs:RATED]-(near:Record)
    WHERE CASE WHEN $rating_unit > 0
          THEN abs(round(mine.rating * $rating_unit) - round(theirs.rating * $rating_unit)) <= $reach
          ELSE abs(mine.rating - theirs.rating) <= $reach END
    WITH g, near, count(i) AS agreed
    WHERE agreed = g.supportSize
    RETURN count(near) AS found
}
WITH problem, t, CASE WHEN problem IS NOT NULL THEN null WHEN g.supportSize = 0 THEN d.records ELSE found END AS size
WHERE problem IS NOT NULL OR size < $k
RETURN t.id AS record, t.position AS position, size, 1.0 / size AS risk, problem
ORDER BY size, position
