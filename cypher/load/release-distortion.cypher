// title: Work out how far some records were moved
// definition: Sum |x - x'| of each over the issues, null = 0 [SWLP10, Def. 5]
// params:
//   dataset: STRING -- name of the original dataset
//   released: STRING -- name of the dataset that is the release
//   first: INTEGER -- from this position in the original on
//   stop: INTEGER -- up to this position, which is not among them
// columns:
//   links: INTEGER -- links that say their distortion now
// order: none
// reads: Record, RELEASED_AS, RATED, Issue
// writes: RELEASED_AS.distortion
// complexity: O(ratings of the batch)
// example: part of ratingpriv ingest
MATCH (r:Record {dataset: $dataset})-[x:RELEASED_AS]->(s:Record {dataset: $released})
WHERE r.position >= $first AND r.position < $stop
OPTIONAL MATCH (r)-[t:RATED]->(i:Issue {sensitive: false})
WITH r, x, s, collect({name: i.name, rating: t.rating}) AS before
OPTIONAL MATCH (s)-[u:RATED]->(j:Issue {sensitive: false})
WITH r.position AS position, before, collect({name: j.name, rating: -1.0 * u.rating}) AS after
UNWIND before + after + [{name: '', rating: 0.0}] AS one
WITH position, one.name AS name, sum(one.rating) AS change
WITH position, sum(abs(change)) AS distortion
MATCH (r:Record {dataset: $dataset, position: position})-[x:RELEASED_AS]->(s:Record {dataset: $released})
SET x.distortion = distortion
RETURN count(x) AS links
