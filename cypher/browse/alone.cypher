// title: Who is alone? Records with no proximate record, and their Hamming groups
// definition: the records with |N(t)| = 1 [SWLZ11, Def. 4.2]; a Hamming group of one shows that the set of rated
//   issues alone singles the record out [SWLZ11, Def. 5.2]
//   At most 149 records, so that Browser draws at most 299 nodes.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   d: NODE? -- the dataset, always in the picture
//   r: NODE? -- a record that is alone
//   i: RELATIONSHIP? -- that it is in
//   g: NODE? -- its Hamming group
//   alone: INTEGER? -- how many records are alone, those beyond the first 149 included
//   problem: STRING? -- null, or why the question cannot be answered; then every other column is null or says nothing
// order: r (by position)
// reads: Dataset, Record, HammingGroup, IN_GROUP, PROXIMATE-AT-RISK
// writes: nothing
// complexity: O(records + pairs)
// example: ratingpriv query run browse/alone --param dataset=survey --param epsilon=1
OPTIONAL MATCH (d:Dataset {name: $dataset})
WITH d, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN coalesce(d.edges, '') <> 'all' AND NOT coalesce(d.edges = 'at-risk' AND $epsilon = d.epsilonMax, false)
        THEN 'only the pairs of records at risk at epsilonMax were loaded: ask for that epsilon, or ingest all edges'
    WHEN NOT coalesce($epsilon <= d.epsilonMax, false) THEN 'epsilon is above the epsilonMax of the dataset'
END AS problem
OPTIONAL MATCH (r:Record {dataset: $dataset})
WHERE problem IS NULL AND (d.edges = 'all' OR r.atRisk)
WITH d, problem, r, CASE WHEN r IS NOT NULL THEN
    COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon }
END AS degree
WITH d, problem, collect(CASE WHEN degree = 0 THEN r.position END) AS lonely
UNWIND CASE WHEN size(lonely) = 0 THEN [null] ELSE lonely END AS place
WITH d, problem, lonely, place
ORDER BY place
LIMIT 149
OPTIONAL MATCH (r:Record {dataset: $dataset, position: place})-[i:IN_GROUP]->(g:HammingGroup)
RETURN d, r, i, g, CASE WHEN problem IS NULL THEN size(lonely) END AS alone, problem
ORDER BY place
