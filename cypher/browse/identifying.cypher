// title: Which one or two ratings narrow a record down, and which other records have them?
// definition: of the record's ratings one, else two, that leave fewer than k records: |C(t, S)| < k within epsilon
//   (ours; [SWLZ11, Def. 4.2] compares all); of several those that leave the fewest, then of the first
//   issues. Who fits them is drawn with what they rate. At most 300 rows. A row with only the record: no two ratings do.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   record: ANY of record -- id of the record t
//   k: INTEGER >= 1 -- how many records shall be left
//   rating_unit: FLOAT >= 0 of rating-unit -- 10 to the number of decimals of the ratings, 1 for whole ratings; 0 compares them as they are
//   reach: FLOAT >= 0 -- epsilon * rating_unit, rounded down; epsilon itself where rating_unit is 0
// columns:
//   t: NODE? -- the record
//   known: RELATIONSHIP? -- its rating that is known
//   issue: NODE? -- of which
//   theirs: RELATIONSHIP? -- the rating of a record that fits
//   near: NODE? -- another record that fits all that is known
//   left: INTEGER? -- records that fit, t included
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: issue, near
// order: issue, near (by position)
// reads: Dataset, Record, Issue, RATED, RATED-ONLY
// writes: nothing
// complexity: O(ratings of t * records that rate the same issue * issues on which they agree)
// example: ratingpriv query run browse/identifying --param dataset=survey --param record=t1 --param k=5 --param rating_unit=1 --param reach=0
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
WHERE problem IS NULL AND t.id = $record
CALL (t) {
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
    WITH agreed[x].position AS i, agreed[y].position AS j, collect(near.position) AS fits
    WITH i, j, fits, size(fits) AS left
    WHERE left < $k
    WITH i, j, fits, left
    ORDER BY i < j, left, i, j
    LIMIT 1
    RETURN collect({known: [i, j], fits: fits, left: left}) AS below
}
WITH t, problem, CASE WHEN size(below) > 0 THEN below[0] ELSE {known: [], fits: [], left: null} END AS few
OPTIONAL MATCH (t)-[known:RATED]->(issue:Issue {dataset: $dataset, sensitive: false})
WHERE issue.position IN few.known
OPTIONAL MATCH (issue)<-[theirs:RATED]-(near:Record)
WHERE near.position IN few.fits AND near.position <> t.position
RETURN t, known, issue, theirs, near, few.left AS left, problem
ORDER BY issue.position, near.position
LIMIT 300
