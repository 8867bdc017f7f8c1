// title: How many records have a neighbourhood of each size?
// definition: the sizes |N(t)| [SWLZ11, Def. 4.2] and the chance 1 / |N(t)| that a pick at random among them is right
//   No row at all means that the dataset cannot be queried (see audit/degree-check).
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   size: INTEGER -- a size of neighbourhood that occurs
//   records: INTEGER -- records with a neighbourhood of this size
//   risk: FLOAT -- 1 / size, the chance that a pick at random among the neighbourhood is right
// key: size
// facts:
//   records counts audit/neighbourhood-sizes by size
// order: size
// reads: Dataset, Record, PROXIMATE-OR-SIZES
// writes: nothing
// complexity: O(records), from the sizes that they have at the levels of the dataset; at an epsilon without
//   sizes O(records + pairs), sensible up to some 10 million pairs
// example: ratingpriv query run audit/risk-histogram --param dataset=survey --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WITH d, CASE WHEN $epsilon >= 0 AND (d.everyLevel OR $epsilon IN d.levels)
    THEN size([level IN d.levels WHERE level <= $epsilon]) - 1
END AS level
WHERE d.complete AND $epsilon <= d.epsilonMax AND (d.edges = 'all' OR level IS NOT NULL)
CALL (level) {
    MATCH (r:Record {dataset: $dataset})
    WHERE level IS NOT NULL
    RETURN r.sizes[level] AS size, count(r) AS times
  UNION ALL
    MATCH (r:Record {dataset: $dataset})
    WHERE level IS NULL
    WITH COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } + 1 AS size
    RETURN size, count(size) AS times
}
WITH size, sum(times) AS records
RETURN size, records, 1.0 / size AS risk
ORDER BY size
