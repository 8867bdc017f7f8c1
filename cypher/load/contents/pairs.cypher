// title: The pairs of a dataset as three numbers, to see whether one was changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
// columns:
//   pairs: INTEGER -- how many ends they have in the dataset
//   known: INTEGER -- how many have a distance
//   digest: INTEGER -- a sum in which each counts with its two records and its distance
// order: none
// reads: Record, PROXIMATE
// writes: nothing
// complexity: O(pairs)
// example: part of ratingpriv query run --write
OPTIONAL MATCH (a:Record {dataset: $key})-[p:PROXIMATE]-(b)
WITH a.position * 31 + b.position * 17 + 7 AS place, p, p.distance % 65521 AS distance
RETURN count(p) AS pairs, count(distance) AS known,
    coalesce(sum((toInteger(distance * 1048576) % 65521 + 1) * (place % 65521)), 0) AS digest
