// title: Is there a rating that a unit does not make whole?
// definition: Ratings are compared and added up as the whole numbers rating * unit, so that none is rounded
// params:
//   dataset: STRING -- name the dataset was ingested under
//   sensitive: BOOLEAN -- whether to look at sensitive issues or at the others
//   issue: STRING -- at which sensitive issue; of the others at all
//   unit: FLOAT > 0 -- 10 to the number of decimals of the ratings
// columns:
//   ratings: INTEGER -- distinct ratings that are not whole, or of more than 15 digits
// order: none
// reads: Record, RATED, Issue
// writes: nothing
// complexity: O(ratings)
// example: part of ratingpriv query run audit/known-sizes
MATCH (i:Issue {dataset: $dataset, sensitive: $sensitive})
WITH i, CASE WHEN $sensitive THEN i.name ELSE $issue END AS name
WHERE name = $issue
MATCH (:Record {dataset: $dataset})-[t:RATED]->(i)
WITH DISTINCT t.rating AS rating
WHERE NOT coalesce(abs(rating * $unit) <= 1000000000000000.0 AND round(rating * $unit) / $unit = rating, false)
RETURN count(rating) AS ratings
