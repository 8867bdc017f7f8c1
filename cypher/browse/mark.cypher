// title: Mark the records for Browser's style: records at risk, and the size of each neighbourhood
// definition: |N(t)| < k [SWLZ11, Def. 4.2] becomes the label AtRisk, and the property crowd states how many of k there are;
//   sizes become one of the labels Alone (1), Few (2-4), Several (5-19), Many (20 and more). docker/style.grass draws
//   these in red and in four sizes. The colours of browse/mark-cliques go
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   records: INTEGER -- records marked; 0 means that the dataset cannot be queried
//   at_risk: INTEGER -- those with the label AtRisk
// facts:
//   at_risk counts audit/degree-violators
// order: none (one row)
// reads: Dataset, Record, PROXIMATE-OR-SIZES
// writes: Record:AtRisk, Record:Alone, Record:Few, Record:Several, Record:Many, Record:Hue0 to Record:Hue7,
//   Record.neighbourhood, Record.crowd
// complexity: O(records) in one transaction, from the sizes that they have at the levels of the dataset; at an
//   epsilon without sizes O(records + pairs), sensible up to some 1 million pairs. browse/unmark takes the marks away
// example: ratingpriv query run browse/mark --param dataset=survey --param k=5 --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WITH d, CASE WHEN $epsilon >= 0 AND (d.everyLevel OR $epsilon IN d.levels)
    THEN size([level IN d.levels WHERE level <= $epsilon]) - 1
END AS level
WITH d, level
WHERE d.complete AND (d.edges = 'all' OR level IS NOT NULL) AND $epsilon <= d.epsilonMax AND $k >= 1
CALL (level) {
    MATCH (r:Record {dataset: $dataset})
    WHERE level IS NOT NULL
    RETURN r, r.sizes[level] AS size
  UNION ALL
    MATCH (r:Record {dataset: $dataset})
    WHERE level IS NULL
    RETURN r, COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } + 1 AS size
}
WITH r, size
REMOVE r:AtRisk, r:Alone, r:Few, r:Several, r:Many, r.crowd
FOREACH (x IN CASE WHEN any(label IN labels(r) WHERE label STARTS WITH 'Hue') THEN [1] ELSE [] END |
    REMOVE r:Hue0, r:Hue1, r:Hue2, r:Hue3, r:Hue4, r:Hue5, r:Hue6, r:Hue7)
SET r.neighbourhood = size
FOREACH (x IN CASE WHEN NOT coalesce(size >= $k, false) THEN [1] ELSE [] END |
    SET r:AtRisk, r.crowd = coalesce(toString(size), '?') + ' of ' + toString($k))
FOREACH (x IN CASE WHEN size = 1 THEN [1] ELSE [] END | SET r:Alone)
FOREACH (x IN CASE WHEN size > 1 AND size < 5 THEN [1] ELSE [] END | SET r:Few)
FOREACH (x IN CASE WHEN size >= 5 AND size < 20 THEN [1] ELSE [] END | SET r:Several)
FOREACH (x IN CASE WHEN size >= 20 THEN [1] ELSE [] END | SET r:Many)
WITH count(r) AS records, sum(CASE WHEN size >= $k THEN 0 ELSE 1 END) AS marked
RETURN records, coalesce(marked, 0) AS at_risk
ORDER BY records
