// title: Which ratings are there, and how often? One row an issue and rating
// definition: the distribution of each non-sensitive issue [SWLZ11, §3]; nulls have no relationship and no row
//   No row at all means no rating, an incomplete dataset, or one without its non-sensitive ratings.
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   issue: STRING -- the non-sensitive issue
//   rating: FLOAT -- a rating that is there
//   records: INTEGER -- records that give it
// key: issue, rating
// order: issue, rating
// reads: Dataset, Record, Issue, RATED
// writes: nothing
// complexity: O(ratings)
// example: ratingpriv query run audit/rating-levels --param dataset=survey
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.allRatings
MATCH (t:Record {dataset: $dataset})-[mine:RATED]->(i:Issue {dataset: $dataset, sensitive: false})
WITH i.position AS place, i.name AS issue, mine.rating AS rating, count(mine) AS records
RETURN issue, rating, records
ORDER BY place, rating
