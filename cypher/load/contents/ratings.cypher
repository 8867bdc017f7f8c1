// title: The ratings of some records, to see whether one was changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
//   first: INTEGER -- records from this place on
//   last: INTEGER -- and before this one
//   secrets: LIST<INTEGER> -- a number for each of them, drawn anew before, and secret
// columns:
//   issue: ANY? -- place of the issue
//   rating: ANY? -- a rating of it
//   timestamp: ANY? -- of the rating
//   records: INTEGER -- how many of the records give it
//   digest: INTEGER -- their numbers added up: other records have another sum
// order: issue, rating, timestamp
// reads: Record, RATED, Issue
// writes: nothing
// complexity: O(ratings of these records)
// example: part of ratingpriv query run --write
MATCH (r:Record {dataset: $key})
WHERE r.position >= $first AND r.position < $last
WITH r, $secrets[r.position - $first] AS secret
MATCH (r)-[t:RATED]->(i:Issue {dataset: $key})
RETURN i.position AS issue, t.rating AS rating, t.timestamp AS timestamp, count(t) AS records, sum(secret) AS digest
ORDER BY issue, rating, timestamp
