// title: Which sensitive ratings are there, and how often?
// definition: the distribution of each sensitive issue over the whole table, whose nulls [SWLZ11, Eq. 3] treats apart.
//   A record without a rating is a null. The null comes last.
//   No row at all means no sensitive issue, or an incomplete dataset.
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   issue: STRING -- the sensitive issue
//   rating: FLOAT? -- a rating that is there, or null
//   records: INTEGER -- records that give it (for null: that give none)
// order: issue, rating
// reads: Dataset, Record, Issue, RATED
// writes: nothing
// complexity: O(sensitive issues * records)
// example: ratingpriv query run audit/sensitive-levels --param dataset=survey
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (s:Issue {dataset: $dataset, sensitive: true})
MATCH (r:Record {dataset: $dataset})
OPTIONAL MATCH (r)-[mine:RATED]->(s)
WITH s.position AS place, s.name AS issue, mine.rating AS rating, count(r) AS records
RETURN issue, rating, records
ORDER BY place, rating
