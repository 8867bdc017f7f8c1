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
CALL (r, s) {
    MATCH (r)-[t:RATED]->(i:Issue {sensitive: false})
    RETURN i.name AS name, t.rating AS change
  UNION ALL
    MATCH (s)-[t:RATED]->(i:Issue {sensitive: false})
    RETURN i.name AS name, -1.0 * t.rating AS change
  UNION ALL
    RETURN '' AS name, 0.0 AS change  // so that there is a row
}
WITH x, name, sum(change) AS change
WITH x, sum(abs(change)) AS distortion
SET x.distortion = distortion
RETURN count(x) AS links
