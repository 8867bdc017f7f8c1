// title: Is there a non-sensitive rating that a unit does not make whole?
// definition: Ratings are compared as the whole numbers rating * unit, so that none is rounded
// params:
//   dataset: STRING -- name the dataset was ingested under
//   unit: FLOAT > 0 -- 10 to the number of decimals of the ratings
// columns:
//   ratings: INTEGER -- distinct ratings that are not whole, or of more than 15 digits
// order: none
// reads: Record, RATED, Issue
// writes: nothing
// complexity: O(ratings)
// example: part of ratingpriv query run audit/known-sizes
MATCH (i:Issue {dataset: $dataset, sensitive: false})
MATCH (:Record {dataset: $dataset})-[t:RATED]->(i)
WITH DISTINCT t.rating AS rating
WHERE NOT coalesce(abs(rating * $unit) <= 1000000000000000.0 AND round(rating * $unit) / $unit = rating, false)
RETURN count(rating) AS ratings
