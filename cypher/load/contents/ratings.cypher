// title: The ratings of a dataset as three numbers, to see whether one was changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
// columns:
//   ratings: INTEGER -- how many there are
//   known: INTEGER -- how many have a rating
//   digest: INTEGER -- a sum in which each counts with its record, its issue and its rating
// order: none
// reads: Record, RATED, Issue
// writes: nothing
// complexity: O(ratings)
// example: part of ratingpriv query run --write
OPTIONAL MATCH (r:Record {dataset: $key})-[t:RATED]-(i)
WITH r.position * 31 + i.position * 17 + 7 AS place, t, t.rating % 65521 AS rating
RETURN count(t) AS ratings, count(rating) AS known,
    coalesce(sum(toInteger(rating * 1048576) % 65521 * (place % 65521)), 0) AS digest
