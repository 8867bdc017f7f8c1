// title: A record and its neighbourhood
// definition: the neighbourhood N(t) of a record [SWLZ11, Def. 4.1-4.2]; no relationship: the record is isolated
//   At most 299 neighbours, the nearest. No row means an unknown record, or that the dataset cannot be queried. Browser
//   adds the pairs among the neighbours by itself: column missing says where they were not all loaded.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   record: ANY of record -- id of the record t
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   t: NODE -- the record
//   p: RELATIONSHIP? -- that the two are proximate, with the distance
//   near: NODE? -- a record of its neighbourhood
//   distance: FLOAT? -- of the two
//   missing: STRING? -- null, or what of the picture was not loaded with the dataset
// key: near
// facts:
//   t and near draw at most 300 of audit/neighbourhood
// order: distance, near (by position)
// reads: Dataset, Record, PROXIMATE-AT-RISK
// writes: nothing
// complexity: O(neighbours of t)
// example: ratingpriv query run browse/record-and-near --param dataset=survey --param record=t1 --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND $epsilon <= d.epsilonMax AND (d.edges = 'all' OR $epsilon = d.epsilonMax)
MATCH (t:Record {dataset: $dataset})
WHERE t.id = $record
OPTIONAL MATCH (t)-[p:PROXIMATE]-(near:Record)
WHERE p.distance <= $epsilon AND (d.edges = 'all' OR t.atRisk)
RETURN t, p, near, p.distance AS distance, CASE
    WHEN d.edges = 'all' THEN null
    WHEN coalesce(t.atRisk, false) THEN 'pairs among neighbours that are not at risk: ingest with all edges'
    ELSE 'the pairs of this record, which is not at risk: ingest with all edges'
END AS missing
ORDER BY distance, near.position
LIMIT 299
