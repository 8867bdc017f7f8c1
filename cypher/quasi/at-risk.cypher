// title: Which records are at risk, and by which values of the quasi-identifiers?
// definition: the records t with |N(t)| < k [SWLZ11, Def. 4.2], each with what is known of the person and with the size of
//   the class of the quasi-identifiers that have to be equal: below k, no change of ratings can protect the record,
//   unless a null matches anything (null rule wildcard).
//   No row means that every record satisfies k.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   record: ANY? -- id of the record, as in the data
//   position: INTEGER? -- its 0-based place in the data
//   size: INTEGER? -- records in its neighbourhood, itself included
//   values: STRING? -- its values of the quasi-identifiers; ? for a null
//   class: INTEGER? -- number of its class (quasi/class-sizes); null where no column has to be equal
//   class_size: INTEGER? -- records in its class
//   problem: STRING? -- null, or why the question cannot be answered; then every other column is null or says nothing
// order: size, position
// reads: Dataset, Record, HammingGroup, IN_GROUP, PROXIMATE-AT-RISK
// writes: nothing
// complexity: O(records + pairs); sensible up to some 10 million pairs
// example: ratingpriv query run quasi/at-risk --param dataset=survey --param k=5 --param epsilon=1
OPTIONAL MATCH (d:Dataset {name: $dataset})
WITH d, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN d.quasi IS NULL THEN 'the dataset has no quasi-identifiers: ask audit/degree-violators'
    WHEN coalesce(d.edges, '') <> 'all' AND NOT coalesce(d.edges = 'at-risk' AND $epsilon = d.epsilonMax, false)
        THEN 'only the pairs of records at risk at epsilonMax were loaded: ask for that epsilon, or ingest all edges'
    WHEN d.edges = 'at-risk' AND NOT coalesce($k <= d.k, false)
        THEN 'only the pairs of records at risk at a smaller k were loaded: ingest with all edges, or with this k'
    WHEN NOT coalesce($epsilon <= d.epsilonMax, false) THEN 'epsilon is above the epsilonMax of the dataset'
    WHEN NOT coalesce($k >= 1, false) THEN 'k is below 1'
END AS problem
OPTIONAL MATCH (u:Record {dataset: $dataset})-[:IN_GROUP]->(g:HammingGroup)
WHERE problem IS NULL
WITH d, problem, g.quasiClass AS class, count(u) AS class_size
WITH d, problem, collect({class: class, size: class_size}) AS classes
OPTIONAL MATCH (r:Record {dataset: $dataset})-[:IN_GROUP]->(g:HammingGroup)
WHERE problem IS NULL AND (d.edges = 'all' OR r.atRisk)
WITH problem, classes, g.quasiClass AS class, r, CASE WHEN r IS NOT NULL THEN
    COUNT { MATCH (r)-[p:PROXIMATE]-(:Record) WHERE p.distance <= $epsilon } + 1
END AS size
WHERE problem IS NOT NULL OR size < $k
WITH problem, class, r, size, [c IN classes WHERE c.class = class | c.size] AS own
RETURN r.id AS record, r.position AS position, size, r.quasiValues AS values, class,
       CASE WHEN class IS NOT NULL THEN own[0] END AS class_size, problem
ORDER BY size, position
