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
//   label: STRING? -- what the rating means, where the issue is nominal
// key: issue, rating
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
WITH s, mine.rating AS rating, count(r) AS records
WITH s.position AS place, s.name AS issue, rating, records,
     CASE WHEN s.labels IS NOT NULL AND rating IS NOT NULL THEN s.labels[toInteger(rating)] END AS label
RETURN issue, rating, records, label
ORDER BY place, rating
