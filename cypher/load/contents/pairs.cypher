// title: The pairs whose earlier record is one of some, to see whether one was changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
//   first: INTEGER -- records from this place on
//   last: INTEGER -- and before this one
//   secrets: LIST<INTEGER> -- a number for each of them, drawn anew before, and secret
// columns:
//   later: ANY? -- place of the later record
//   distance: ANY? -- a distance
//   pairs: INTEGER -- how many of the records are so far from it
//   digest: INTEGER -- their numbers added up: other records have another sum
// order: later, distance
// reads: Record, PROXIMATE-ANY
// writes: nothing
// complexity: O(pairs of these records)
// example: part of ratingpriv query run --write
MATCH (a:Record {dataset: $key})
WHERE a.position >= $first AND a.position < $last
WITH a, $secrets[a.position - $first] AS secret
MATCH (a)-[p:PROXIMATE]->(b:Record {dataset: $key})
RETURN b.position AS later, p.distance AS distance, count(p) AS pairs, sum(secret) AS digest
ORDER BY later, distance
