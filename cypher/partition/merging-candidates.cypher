// title: Which two components that greedy cliques do not fill could be merged, and at what cost?
// definition: Case 2 [SWLP10, §4.4]: components with records left out, both within one Hamming group, two at a time.
//   distortion is the least sum |x - x'| that makes all their records one clique, issue by issue by the best window
//   [a, a + width] [SWLP10, Def. 5-6]; in a Hamming group all records rate an issue, or none does. A window that starts or
//   ends at a rating is among the best. Quasi-identifiers cannot be moved: where two of the records break the rule of
//   one, they cannot be merged: the codes of all are within what each of them allows.
// params:
//   dataset: STRING -- name the dataset was ingested under, with its ratings
//   run: STRING of complete-run -- name of the run
// columns:
//   distortion: FLOAT? -- of the merged group
//   a: INTEGER? -- one component: position of its first record
//   b: INTEGER? -- the other, which comes later
//   size: INTEGER? -- records in both
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: a, b
// order: distortion, a, b
// reads: Dataset, Record, RATED, Issue, Run, LEFT_OUT, Clique, MEMBER_OF
// writes: nothing
// complexity: O(ratings + pairs of such components * issues * squared levels)
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
CALL (run, problem) {
    MATCH (run)<-[w:LEFT_OUT]-(r:Record {dataset: $dataset})
    WHERE problem IS NULL
    WITH run, w.component AS component, collect(r) AS left
    CALL (component) {
        MATCH (c:Clique {dataset: $dataset, run: $run, component: component})<-[:MEMBER_OF]-(r:Record {dataset: $dataset})
        RETURN collect(r) AS placed
    }
    WITH run, component, left + placed AS members
    CALL (run, members) {
        UNWIND members AS r
        MATCH (r)-[t:RATED]->(i:Issue {sensitive: false})
        WITH i.position AS issue, CASE WHEN run.grid THEN round(t.rating * run.unit) ELSE t.rating END AS x, count(*) AS n
        WITH issue, collect([x, n]) AS ratings
        ORDER BY issue
        RETURN collect(ratings) AS issues
    }
    CALL (members) {
        UNWIND members AS r
        UNWIND range(0, size(coalesce(r.quasiCode, [])) - 1) AS q
        WITH q, r.quasiCode[q] AS code, r.quasiLeast[q] AS least, r.quasiMost[q] AS most
        WITH q, min(code) < 0 AS nulls, min(CASE WHEN code >= 0 THEN code END) AS low, max(code) AS high,
             max(CASE WHEN code >= 0 THEN least END) AS least, min(CASE WHEN code >= 0 THEN most END) AS most
        ORDER BY q
        RETURN collect({nulls: nulls, low: low, high: high, least: least, most: most}) AS rules
    }
    CALL (members) {
        UNWIND members AS r
        RETURN min(r.hammingGroup) AS low, max(r.hammingGroup) AS high
    }
    WITH low, high, component, size(members) AS size, issues, rules
    WHERE low = high
    WITH low, component, size, issues, rules
    ORDER BY component
    WITH low, collect({component: component, size: size, issues: issues, rules: rules}) AS parts
    RETURN collect(parts) AS groups
}
WITH problem, run.unit AS unit, run.width AS width, d.nulls = 'wildcard' AS wild, groups
UNWIND CASE WHEN problem IS NULL THEN groups ELSE [[null]] END AS parts
UNWIND parts AS a
UNWIND parts AS b
WITH problem, unit, width, wild, a, b
WHERE problem IS NOT NULL OR (a.component < b.component AND all(q IN range(0, coalesce(size(a.rules), 0) - 1) WHERE
    all(x IN [a.rules[q], b.rules[q]] WHERE all(y IN [a.rules[q], b.rules[q]] WHERE
        (wild OR NOT x.nulls OR y.low IS NULL) AND coalesce(x.least <= y.low AND y.high <= x.most, true)))))
WITH problem, unit, width, a.component AS a, b.component AS b, a.size AS this, b.size AS that, a.issues AS xs, b.issues AS ys
WITH problem, unit, a, b, this + that AS size, reduce(total = 0.0, i IN range(0, coalesce(size(xs), 0) - 1) | total + CASE
    WHEN size(xs[i]) = 1 AND size(ys[i]) = 1 THEN CASE  // each has one rating: the fewer are moved
        WHEN abs(xs[i][0][0] - ys[i][0][0]) <= width THEN 0.0
        ELSE (abs(xs[i][0][0] - ys[i][0][0]) - width) * CASE WHEN this < that THEN this ELSE that END
    END
    ELSE reduce(best = null, moved IN [low IN [x IN xs[i] + ys[i] | x[0]] + [x IN xs[i] + ys[i] | x[0] - width] |
        reduce(moved = 0.0, x IN xs[i] + ys[i] | moved + x[1] * CASE
            WHEN x[0] < low THEN low - x[0]
            WHEN x[0] > low + width THEN x[0] - low - width
            ELSE 0.0
        END)] | CASE WHEN best < moved THEN best ELSE moved END)
END) AS cost
RETURN CASE WHEN problem IS NULL THEN cost / unit END AS distortion, a, b,
       CASE WHEN problem IS NULL THEN size END AS size, problem
ORDER BY distortion, a, b
