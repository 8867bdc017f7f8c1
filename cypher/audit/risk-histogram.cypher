// title: How many records have a neighbourhood of each size?
// definition: the sizes |N(t)| [SWLZ11, Def. 4.2] and the chance 1 / |N(t)| that a pick at random among them is right
//   No row at all means that the dataset cannot answer (see audit/degree-check).
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   size: INTEGER -- a size of neighbourhood that occurs
//   records: INTEGER -- records with a neighbourhood of this size
//   risk: FLOAT -- 1 / size, the chance that a pick at random among the neighbourhood is right
// order: size
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(records + pairs); sensible up to some 10 million pairs
// example: ratingpriv query run audit/risk-histogram --param dataset=survey --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (r:Record {dataset: $dataset})
WITH r, COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } + 1 AS size
WITH size, count(r) AS records
RETURN size, records, 1.0 / size AS risk
ORDER BY size
