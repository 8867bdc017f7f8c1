// title: Are the sizes in the records those that counting the pairs gives?
// definition: |N(t)| [SWLZ11, Def. 4.2] at each level of the dataset, as the records have it, against the pairs that
//   are in the store: two ways to the same number. One row a level; no row means that the records have no sizes, or that
//   the dataset cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   distance: FLOAT -- a level, a distance at which records have their sizes
//   records: INTEGER -- records looked at
//   neighbours: INTEGER -- their sizes added up, each record without itself: twice the pairs within the distance
//   differing: INTEGER -- records whose size is another one than is counted; 0 everywhere, or ingest again
// key: distance
// order: distance
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(levels * (records + pairs)); sensible up to some 10 million pairs
// example: ratingpriv query run audit/sizes-check --param dataset=survey
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all'
MATCH (r:Record {dataset: $dataset})
UNWIND range(0, size(d.levels) - 1) AS place
WITH r, d.levels[place] AS distance, r.sizes[place] AS size
WITH distance, size, COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= distance } + 1 AS counted
RETURN distance, count(counted) AS records, sum(coalesce(size, 0) - 1) AS neighbours,
       sum(CASE WHEN coalesce(size = counted, false) THEN 0 ELSE 1 END) AS differing
ORDER BY distance
