// title: How large is the neighbourhood of every record?
// definition: |N(t)|, t included [SWLZ11, Def. 4.2]
//   No row at all means that the dataset cannot answer (see audit/degree-check).
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   size: INTEGER -- records in its neighbourhood, itself included
// order: position
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(records + pairs); sensible up to some 10 million pairs
// example: ratingpriv query run audit/neighbourhood-sizes --param dataset=survey --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
MATCH (r:Record {dataset: $dataset})
RETURN r.id AS record, r.position AS position,
       COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } + 1 AS size
ORDER BY position
