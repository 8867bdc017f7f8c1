// title: Is a set of records a clique, so that it may be published as one group?
// definition: every two of the records are epsilon-proximate; groups of a k-decomposition are such sets [SWLP10, §4.3]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   records: LIST<ANY> of record -- ids of the records; a duplicated one counts once
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   clique: BOOLEAN? -- whether every two of them are proximate; a single record is a clique
//   records: INTEGER? -- distinct records named
//   pairs: INTEGER? -- proximate pairs among them
//   missing_pairs: INTEGER? -- pairs that are not proximate
//   diameter: FLOAT? -- largest distance among the proximate pairs, 0 for a single record
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// order: none (one row)
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(size of the set * their neighbours)
// example: ratingpriv query run partition/clique-test --param dataset=survey --param records='["t1", "t2"]' --param epsilon=1
OPTIONAL MATCH (d:Dataset {name: $dataset})
WITH d, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN coalesce(d.edges, '') <> 'all' THEN 'only the pairs of at-risk records were loaded: ingest with all edges'
    WHEN NOT coalesce($epsilon <= d.epsilonMax, false) THEN 'epsilon is above the epsilonMax of the dataset'
END AS problem
OPTIONAL MATCH (a:Record {dataset: $dataset})
WHERE problem IS NULL AND a.id IN $records
WITH problem, collect(a) AS members
UNWIND CASE WHEN size(members) = 0 THEN [null] ELSE members END AS a
OPTIONAL MATCH (a)-[p:PROXIMATE]->(b:Record {dataset: $dataset})
WHERE p.distance <= $epsilon AND b.id IN $records
WITH problem, count(DISTINCT a) AS found, count(p) AS pairs, max(p.distance) AS diameter
WITH CASE
    WHEN problem IS NOT NULL THEN problem
    WHEN size($records) = 0 THEN 'no record is named'
    WHEN found < size(reduce(seen = [], id IN $records | CASE WHEN id IN seen THEN seen ELSE seen + [id] END))
        THEN 'a record that is named is not in the dataset'
END AS problem, found, pairs, diameter
RETURN CASE WHEN problem IS NULL THEN 2 * pairs = found * (found - 1) END AS clique,
       CASE WHEN problem IS NULL THEN found END AS records,
       CASE WHEN problem IS NULL THEN pairs END AS pairs,
       CASE WHEN problem IS NULL THEN found * (found - 1) / 2 - pairs END AS missing_pairs,
       CASE WHEN problem IS NULL THEN coalesce(diameter, 0.0) END AS diameter,
       problem
ORDER BY problem
