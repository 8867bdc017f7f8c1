// title: How many records remain for an adversary who knows the ratings of a record?
// definition: |N(t)| under the null rule known: the records that rate at least what t rates, each rating within
//   epsilon, t included. It departs from [SWLZ11, Def. 4.1]: what t did not rate is not known. Not symmetric,
//   so it reads ratings and no pairs: epsilon may be any. A record that rates nothing has all records.
//   Two ratings are compared as the whole numbers rating * rating_unit, so that none is rounded.
//   No row at all means no such place, an incomplete dataset, one without its non-sensitive ratings, or one with
//   quasi-identifiers, whose rules this query does not know.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   rating_unit: FLOAT >= 0 of rating-unit -- 10 to the number of decimals of the ratings, 1 for whole ratings; 0 compares them as they are
//   reach: FLOAT >= 0 -- epsilon * rating_unit, rounded down; epsilon itself where rating_unit is 0
//   first: INTEGER >= 0 -- only records from this 0-based place in the data on; 0 for all
//   last: INTEGER >= 0 -- and before this place; the number of records, or more, for all
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   size: INTEGER -- records in its neighbourhood, itself included
// key: position
// order: position
// reads: Dataset, Record, HammingGroup, Issue, IN_GROUP, RATED-ONLY
// writes: nothing
// complexity: O(ratings of the records asked for * records that rate the same issue); ask for some 2 million of these
//   at once
// example: ratingpriv query run audit/known-sizes --param dataset=survey --param rating_unit=1 --param reach=1 --param first=0 --param last=1000
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.allRatings AND d.quasi IS NULL AND $rating_unit >= 0 AND $reach >= 0
MATCH (t:Record {dataset: $dataset})-[:IN_GROUP]->(g:HammingGroup)
WHERE t.position >= $first AND t.position < $last
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
RETURN t.id AS record, t.position AS position, CASE WHEN g.supportSize = 0 THEN d.records ELSE found END AS size
ORDER BY position
