// title: Does a run prove that the data are (k,epsilon)-anonymous? Every clique is looked at again
// definition: a partition into cliques of k records or more [SWLP10, §4.3] makes every |N(t)| >= k (Corollary 1 of
//   Thm 1); what the run says of itself is not trusted: sizes are counted, and the pairs of every clique. A clique that
//   was merged or borrowed is one only after the data were changed.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of complete-run -- name of the run
// columns:
//   satisfied: BOOLEAN? -- whether every record is in exactly one clique, each of at least k proximate records
//   records: INTEGER? -- records of the dataset
//   placed: INTEGER? -- records in exactly one clique
//   cliques: INTEGER? -- cliques of the run
//   too_small: INTEGER? -- cliques of fewer than k records
//   not_cliques: INTEGER? -- cliques with two records that are not proximate
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// facts:
//   placed counts partition/members where clique
//   cliques counts partition/cliques
// order: none (one row)
// reads: Dataset, Record, PROXIMATE, Run, Clique, MEMBER_OF
// writes: nothing
// complexity: O(records + pairs)
// example: ratingpriv query run partition/check --param dataset=survey --param run=a
OPTIONAL MATCH (d:Dataset {name: $dataset})
OPTIONAL MATCH (run:Run {dataset: $dataset, run: $run})
WITH run, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN run IS NULL THEN 'the dataset has no run of this name'
    WHEN NOT coalesce(run.complete, false) THEN 'the run is not complete: run it again'
END AS problem
OPTIONAL MATCH (r:Record {dataset: $dataset})
WHERE problem IS NULL
OPTIONAL MATCH (r)-[:MEMBER_OF]->(c:Clique {dataset: $dataset, run: $run})
WITH run, problem, r, count(c) AS memberships
WITH run, problem, count(r) AS records, count(CASE WHEN memberships = 1 THEN 1 END) AS placed
OPTIONAL MATCH (c:Clique {dataset: $dataset, run: $run})
WHERE problem IS NULL
OPTIONAL MATCH (a:Record {dataset: $dataset})-[:MEMBER_OF]->(c)
WITH run, problem, records, placed, c, count(a) AS members
OPTIONAL MATCH (c)<-[:MEMBER_OF]-(a:Record)-[p:PROXIMATE]->(b:Record)-[:MEMBER_OF]->(c)
WHERE p.distance <= run.epsilon
WITH run, problem, records, placed, c, members, count(p) AS pairs
WITH run, problem, records, placed, count(c) AS cliques,
     count(CASE WHEN c IS NOT NULL AND members < run.k THEN 1 END) AS too_small,
     count(CASE WHEN c IS NOT NULL AND 2 * pairs <> members * (members - 1) THEN 1 END) AS not_cliques
RETURN CASE WHEN problem IS NULL THEN placed = records AND records > 0 AND too_small = 0 AND not_cliques = 0 END
           AS satisfied,
       CASE WHEN problem IS NULL THEN records END AS records,
       CASE WHEN problem IS NULL THEN placed END AS placed,
       CASE WHEN problem IS NULL THEN cliques END AS cliques,
       CASE WHEN problem IS NULL THEN too_small END AS too_small,
       CASE WHEN problem IS NULL THEN not_cliques END AS not_cliques,
       problem
ORDER BY problem
