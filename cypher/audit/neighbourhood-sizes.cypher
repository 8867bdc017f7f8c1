// title: How large is the neighbourhood of every record?
// definition: |N(t)|, t included [SWLZ11, Def. 4.2]
//   No row at all means that the dataset cannot be queried (see audit/degree-check).
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   size: INTEGER -- records in its neighbourhood, itself included
// key: position
// facts:
//   size counts audit/neighbourhood
// order: position
// reads: Dataset, Record, PROXIMATE-OR-SIZES
// writes: nothing
// complexity: O(records), from the sizes that they have at the levels of the dataset; at an epsilon without
//   sizes O(records + pairs), sensible up to some 10 million pairs
// example: ratingpriv query run audit/neighbourhood-sizes --param dataset=survey --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WITH d, CASE WHEN $epsilon >= 0 AND (d.everyLevel OR $epsilon IN d.levels)
    THEN size([level IN d.levels WHERE level <= $epsilon]) - 1
END AS level
WHERE d.complete AND $epsilon <= d.epsilonMax AND (d.edges = 'all' OR level IS NOT NULL)
CALL (level) {
    MATCH (r:Record {dataset: $dataset})
    WHERE level IS NOT NULL
    RETURN r.id AS record, r.position AS position, r.sizes[level] AS size
  UNION ALL
    MATCH (r:Record {dataset: $dataset})
    WHERE level IS NULL
    RETURN r.id AS record, r.position AS position,
           COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } + 1 AS size
}
RETURN record, position, size
ORDER BY position
