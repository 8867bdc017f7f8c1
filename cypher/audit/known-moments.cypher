// title: Exact sums of the sensitive ratings that remain for whoever knows what a record answered
// definition: what SD [SWLZ11, Eq. 3] is made of, in the neighbourhoods of audit/known-sizes: the number of ratings
//   that are not null, their sum and their sum of squares. Every rating counts as the whole number rating * unit -
//   shift, so that no sum is rounded; where unit is 0, as rating - shift.
//   No row at all means that the issue is unknown or not sensitive, or that the dataset cannot answer.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   issue: STRING of sensitive-issue -- name of the sensitive issue
//   rating_unit: FLOAT >= 0 of rating-unit -- 10 to the number of decimals of the ratings, 1 for whole ratings; 0 compares them as they are
//   reach: FLOAT >= 0 -- epsilon * rating_unit, rounded down; epsilon itself where rating_unit is 0
//   unit: FLOAT >= 0 of sensitive-unit -- 10 to the number of decimals of the sensitive ratings, 1 for whole ratings; 0 takes them as they are
//   shift: FLOAT -- taken off rating * unit to keep squares small, for instance the smallest; or 0
//   first: INTEGER >= 0 -- only records from this 0-based place in the data on; 0 for all
//   last: INTEGER >= 0 -- and before this place; the number of records, or more, for all
// columns:
//   position: INTEGER -- the record's 0-based place in the data
//   size: INTEGER -- records in its neighbourhood, itself included
//   known: INTEGER -- how many of them have a sensitive rating
//   sum: ANY -- sum of the numbers, whole where unit is not 0
//   squares: ANY -- sum of their squares
// key: position
// order: position
// reads: Dataset, Record, HammingGroup, Issue, IN_GROUP, RATED-ONLY
// writes: nothing
// complexity: that of audit/known-sizes, and O(records in neighbourhoods)
// example: ratingpriv query run audit/known-moments --param dataset=survey --param issue=income --param rating_unit=1 --param reach=1 --param unit=1 --param shift=0 --param first=0 --param last=1000
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.allRatings AND d.quasi IS NULL AND $rating_unit >= 0 AND $reach >= 0
MATCH (s:Issue {dataset: $dataset, name: $issue, sensitive: true})
MATCH (t:Record {dataset: $dataset})-[:IN_GROUP]->(g:HammingGroup)
WHERE t.position >= $first AND t.position < $last
CALL (t, g) {
    MATCH (t)-[mine:RATED]->(i:Issue {sensitive: false})
    MATCH (i)<-[theirs:RATED]-(near:Record)
    WHERE CASE WHEN $rating_unit > 0
          THEN abs(round(mine.rating * $rating_unit) - round(theirs.rating * $rating_unit)) <= $reach
          ELSE abs(mine.rating - theirs.rating) <= $reach END
    WITH g, near, count(i) AS agreed
    WHERE agreed = g.supportSize
    RETURN near
  UNION ALL
    UNWIND CASE WHEN g.supportSize = 0 THEN [1] ELSE [] END AS unrated  // who rates nothing is among everybody
    MATCH (near:Record {dataset: $dataset})
    RETURN near
}
OPTIONAL MATCH (near)-[x:RATED]->(s)
WITH t, count(near) AS size, collect(x.rating) AS ratings
WITH t, size, [x IN ratings | CASE WHEN $unit > 0 THEN toInteger(round(x * $unit) - $shift) ELSE x - $shift END] AS numbers
RETURN t.position AS position, size, size(numbers) AS known,
       reduce(total = 0, x IN numbers | total + x) AS sum, reduce(total = 0, x IN numbers | total + x * x) AS squares
ORDER BY position
