// title: How often does each sensitive rating occur among the records that remain for an adversary who knows the ratings of one?
// definition: what the largest share of one value, distinct l-diversity and entropy l-diversity [Machanavajjhala et
//   al. 2007] and SD [SWLZ11, Eq. 3] are made of, in the neighbourhoods of audit/known-sizes, which depart from
//   [SWLZ11, Def. 4.2]. A null is no value, and comes last.
//   No row at all means that the issue is unknown or not sensitive, or that the dataset cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   issue: STRING of sensitive-issue -- name of the sensitive issue
//   rating_unit: FLOAT >= 0 of rating-unit -- 10 to the number of decimals of the ratings, 1 for whole ratings; 0 compares them as they are
//   reach: FLOAT >= 0 -- epsilon * rating_unit, rounded down; epsilon itself where rating_unit is 0
//   first: INTEGER >= 0 -- only records from this 0-based place in the data on; 0 for all
//   last: INTEGER >= 0 -- and before this place; the number of records, or more, for all
// columns:
//   position: INTEGER -- the record's 0-based place in the data
//   rating: FLOAT? -- a sensitive rating that is known in its neighbourhood, or null
//   records: INTEGER -- how many records there give it (for null: give none), the record itself included
// key: position, rating
// order: position, rating
// reads: Dataset, Record, HammingGroup, Issue, IN_GROUP, RATED-ONLY
// writes: nothing
// complexity: that of audit/known-sizes, and O(records in neighbourhoods)
// example: ratingpriv query run audit/known-counts --param dataset=survey --param issue=income --param rating_unit=1 --param reach=1 --param first=0 --param last=1000
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.allRatings AND d.quasi IS NULL AND $rating_unit >= 0 AND $reach >= 0
MATCH (s:Issue {dataset: $dataset, name: $issue, sensitive: true})
CALL (s) {  // who rates nothing is among everybody
    MATCH (near:Record {dataset: $dataset})
    OPTIONAL MATCH (near)-[x:RATED]->(s)
    WITH x.rating AS rating, count(near) AS records
    RETURN collect({rating: rating, records: records}) AS everybody
}
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
    OPTIONAL MATCH (near)-[x:RATED]->(:Issue {dataset: $dataset, name: $issue, sensitive: true})
    WITH x.rating AS rating, count(near) AS records
    RETURN collect({rating: rating, records: records}) AS counted
}
UNWIND CASE WHEN g.supportSize = 0 THEN everybody ELSE counted END AS row
RETURN t.position AS position, row.rating AS rating, row.records AS records
ORDER BY position, rating
