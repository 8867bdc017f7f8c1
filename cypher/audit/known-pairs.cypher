// title: Which records do one or two known ratings narrow down to fewer than k?
// definition: every one and every two of a record's ratings for which |C(t, S)| < k: fewer than k records rate these
//   issues within epsilon of t, t included (ours; [SWLZ11, Def. 4.2] compares all). A null fits nothing.
//   It reads ratings and no pairs: epsilon may be any. No row means that any two known ratings leave k records. For m
//   of 3 and more: ratingpriv audit DATA --known M.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- how many records shall be left
//   rating_unit: FLOAT >= 0 of rating-unit -- 10 to the number of decimals of the ratings, 1 for whole ratings; 0 compares them as they are
//   reach: FLOAT >= 0 -- epsilon * rating_unit, rounded down; epsilon itself where rating_unit is 0
//   first: INTEGER >= 0 -- only records from this 0-based place in the data on; 0 for all
//   last: INTEGER >= 0 -- and before this place; the number of records, or more, for all
// columns:
//   record: ANY? -- id of the record, as in the data
//   position: INTEGER? -- its 0-based place in the data
//   issue_i: STRING? -- of which its rating is known
//   issue_j: STRING? -- and of which, later in the data; null where the one rating is enough
//   left: INTEGER? -- records that fit both, itself included
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: position, issue_i, issue_j
// order: position, left, issue_i, issue_j (by their places in the data)
// reads: Dataset, Record, Issue, RATED-ONLY
// writes: nothing
// complexity: O(records asked for * records * pairs of ratings on which two agree); sensible up to some 20 million
// example: ratingpriv query run audit/known-pairs --param dataset=survey --param k=2 --param rating_unit=1 --param reach=0 --param first=0 --param last=1000
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
OPTIONAL MATCH (t:Record {dataset: $dataset})
WHERE problem IS NULL AND t.position >= $first AND t.position < $last
CALL (t) {  // record by record: a server keeps no more than what is near one record
    MATCH (t)-[mine:RATED]->(i:Issue {sensitive: false})
    MATCH (i)<-[theirs:RATED]-(near:Record)
    WHERE CASE WHEN $rating_unit > 0
          THEN abs(round(mine.rating * $rating_unit) - round(theirs.rating * $rating_unit)) <= $reach
          ELSE abs(mine.rating - theirs.rating) <= $reach END
    WITH near, i
    ORDER BY i.position
    WITH near, collect(i) AS agreed
    UNWIND range(0, size(agreed) - 1) AS x
    UNWIND range(x, size(agreed) - 1) AS y
    WITH agreed[x] AS i, agreed[y] AS j, count(near) AS left
    WHERE left < $k
    RETURN collect({i: i.name, j: CASE WHEN i.position < j.position THEN j.name END, from: i.position, upto: j.position, left: left}) AS below
}
UNWIND CASE WHEN problem IS NULL THEN below ELSE [null] END AS few
RETURN t.id AS record, t.position AS position, few.i AS issue_i, few.j AS issue_j, few.left AS left, problem
ORDER BY position, left, few.from, few.upto
