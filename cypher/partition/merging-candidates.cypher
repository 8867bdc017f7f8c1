// title: Which two components that greedy cliques do not fill could be merged, and at what cost?
// definition: Case 2 [SWLP10, §4.4]: components with records left out, both within one Hamming group, two at a time.
//   distortion is the least sum |x - x'| that makes all their records one clique, issue by issue by the best window
//   [a, a + width] [SWLP10, Def. 5-6]; in a Hamming group all rate an issue, or nobody does. Quasi-identifiers cannot
//   be moved: where two of the records break the rule of one, they cannot be merged.
// params:
//   dataset: STRING -- name the dataset was ingested under, with its ratings
//   run: STRING of complete-run -- name of the run
// columns:
//   distortion: FLOAT? -- of the merged group
//   a: INTEGER? -- one component: position of its first record
//   b: INTEGER? -- the other, which comes later
//   size: INTEGER? -- records in both
//   problem: STRING? -- null, or why the question cannot be answered; then every other column is null or says nothing
// order: distortion, a, b
// reads: Dataset, Record, RATED, Issue, Run, LEFT_OUT, Clique, MEMBER_OF
// writes: nothing
// complexity: O(pairs of such components * squared ratings of an issue in both); sensible up to some 100 components
// example: ratingpriv query run partition/merging-candidates --param dataset=survey --param run=a
OPTIONAL MATCH (d:Dataset {name: $dataset})
OPTIONAL MATCH (run:Run {dataset: $dataset, run: $run})
WITH d, run, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN run IS NULL THEN 'the dataset has no run of this name'
    WHEN NOT coalesce(run.complete, false) THEN 'the run is not complete: run it again'
    WHEN NOT coalesce(run.ratings, false) THEN 'the ratings are not in the store: ingest them with --ratings'
END AS problem
OPTIONAL MATCH (r:Record {dataset: $dataset})
WHERE problem IS NULL
OPTIONAL MATCH (r)-[:MEMBER_OF]->(c:Clique {dataset: $dataset, run: $run})
OPTIONAL MATCH (r)-[w:LEFT_OUT]->(run)
WITH run, d.nulls = 'wildcard' AS wild, problem, coalesce(c.component, w.component) AS component, count(w) AS left,
     collect({position: r.position, code: coalesce(r.quasiCode, []), least: r.quasiLeast, most: r.quasiMost}) AS members,
     min(r.hammingGroup) AS low, max(r.hammingGroup) AS high
WHERE problem IS NOT NULL OR (left > 0 AND low = high)
WITH run, wild, problem, component, members, low AS hamming
ORDER BY component
WITH run, wild, problem, hamming, collect({component: component, members: members}) AS parts
UNWIND CASE WHEN problem IS NOT NULL THEN [null] ELSE range(0, size(parts) - 1) END AS i
UNWIND CASE WHEN problem IS NOT NULL THEN [null] ELSE range(0, size(parts) - 1) END AS j
WITH run, wild, problem, i, j, parts
WHERE problem IS NOT NULL OR i < j
WITH run, wild, problem, parts[i].component AS a, parts[j].component AS b, parts[i].members + parts[j].members AS members
WHERE problem IS NOT NULL OR all(x IN members WHERE all(y IN members WHERE all(q IN range(0, size(x.code) - 1) WHERE
    CASE WHEN x.code[q] < 0 OR y.code[q] < 0 THEN wild OR x.code[q] = y.code[q]
    ELSE x.least[q] <= y.code[q] AND y.code[q] <= x.most[q] END)))
WITH run, problem, a, b, [x IN members | x.position] AS members
UNWIND CASE WHEN problem IS NOT NULL THEN [null] ELSE members END AS position
OPTIONAL MATCH (r:Record {dataset: $dataset, position: position})-[t:RATED]->(i:Issue {sensitive: false})
WITH run, problem, a, b, size(members) AS size, i.position AS issue,
     CASE WHEN run.grid THEN round(t.rating * run.unit) ELSE t.rating END AS x
ORDER BY x
WITH run, problem, a, b, size, issue, collect(x) AS xs
WITH run, problem, a, b, size, xs, xs[0] AS least, xs[size(xs) - 1] AS most
WITH run, problem, a, b, size, xs, CASE
    WHEN most - least <= run.width THEN [least]
    ELSE [low IN xs + [x IN xs | x - run.width] WHERE low >= least AND low <= most - run.width]
END AS windows
WITH run, problem, a, b, size, reduce(best = null, y IN [low IN windows | reduce(total = 0.0, x IN xs | total +
    CASE WHEN x < low THEN low - x WHEN x > low + run.width THEN x - low - run.width ELSE 0.0 END)] |
    CASE WHEN best IS NULL OR y < best THEN y ELSE best END) AS moved
WITH run, problem, a, b, size, coalesce(moved, 0.0) AS cost
WITH problem, a, b, size, run.unit AS unit, sum(cost) AS cost
RETURN CASE WHEN problem IS NULL THEN cost / unit END AS distortion, a, b,
       CASE WHEN problem IS NULL THEN size END AS size, problem
ORDER BY distortion, a, b
