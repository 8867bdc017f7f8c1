// title: Which two small cliques could be combined into one, and at what cost?
// definition: Case 3.2 [SWLP10, §4.4, Fig. 9]: where the records of a component, or of two, have no clique of k, two of
//   their largest cliques are combined by adding edges, if both together are at most k records. distortion is the least
//   sum |x - x'| that makes their union one clique, as in partition/borrowing-candidates. Unions of most records come
//   first. Quasi-identifiers cannot be moved: who breaks the rule of one cannot be in one union.
// params:
//   dataset: STRING -- name the dataset was ingested under, with its ratings
//   run: STRING of complete-run -- name of the run
//   components: LIST<INTEGER> -- one component or two: the position of the first record there
// columns:
//   distortion: FLOAT? -- of the records of both cliques
//   size: INTEGER? -- records of both
//   left: LIST<ANY>? -- ids of the one clique, in the order of the data
//   right: LIST<ANY>? -- ids of the other
//   problem: STRING? -- null, or why the question cannot be answered; then every other column is null or says nothing
// order: size (the largest first), distortion, positions of left, of right
// reads: Dataset, Record, RATED, Issue, PROXIMATE, Run, LEFT_OUT, Clique, MEMBER_OF
// writes: nothing
// complexity: O(squared largest cliques * issues); sensible up to some 100 records, among which there are few
// example: ratingpriv query run partition/combining-candidates --param dataset=survey --param run=a --param components='[4]'
OPTIONAL MATCH (d:Dataset {name: $dataset})
OPTIONAL MATCH (run:Run {dataset: $dataset, run: $run})
WITH d, run, d.nulls = 'wildcard' AS wild, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN run IS NULL THEN 'the dataset has no run of this name'
    WHEN NOT coalesce(run.complete, false) THEN 'the run is not complete: run it again'
    WHEN NOT coalesce(run.ratings, false) THEN 'the ratings are not in the store: ingest them with --ratings'
END AS problem
CALL (run, problem) {
    MATCH (run)<-[w:LEFT_OUT]-(r:Record {dataset: $dataset})
    WHERE problem IS NULL AND w.component IN $components
    RETURN collect(r) AS left
}
CALL (run, problem) {
    MATCH (r:Record {dataset: $dataset})-[:MEMBER_OF]->(c:Clique {dataset: $dataset, run: $run})
    WHERE problem IS NULL AND c.component IN $components
    RETURN collect(r) AS placed
}
WITH d, run, wild, problem, left + placed AS members
// later: for each record, by its place among them, the places of its later neighbours
CALL (run, members) {
    UNWIND members AS r
    WITH run, r.position AS position
    ORDER BY position
    WITH run, collect(position) AS positions
    UNWIND positions AS position
    MATCH (r:Record {position: position, dataset: $dataset})
    CALL (run, r) {
        MATCH (r)-[p:PROXIMATE]-(a:Record)
        WHERE p.distance <= run.epsilon AND a.position > r.position
        RETURN collect(a.position) AS near
    }
    CALL (run, r) {
        MATCH (r)-[t:RATED]->(i:Issue {sensitive: false})
        RETURN collect({issue: i.position, x: CASE WHEN run.grid THEN round(t.rating * run.unit) ELSE t.rating END}) AS xs
    }
    WITH positions, position, r, xs, [i IN range(0, size(positions) - 1) WHERE positions[i] IN near] AS near
    ORDER BY position
    RETURN collect({position: position, id: r.id, near: near, xs: xs, code: coalesce(r.quasiCode, []), least: r.quasiLeast,
        most: r.quasiMost}) AS later
}
// cliques of 1, 2, ... records, until there are no larger ones
WITH d, run, wild, problem, later, reduce(found = [i IN range(0, size(later) - 1) | [i]], size IN range(2, coalesce(run.k, 1)) |
    reduce(best = found, larger IN [reduce(larger = [], c IN found | larger +
        [x IN later[c[size(c) - 1]].near WHERE size(c) = size - 1 AND all(m IN c WHERE x IN later[m].near) | c + [x]])] |
        CASE WHEN size(larger) > 0 THEN larger ELSE best END)) AS cliques
WITH d, run, wild, later, cliques, CASE
    WHEN problem IS NOT NULL THEN problem
    WHEN size(later) = 0 THEN 'the run has no such component'
    WHEN size(cliques[0]) = run.k THEN 'these records have a clique of k: nothing has to be combined'
END AS problem
CALL (d, run, wild, problem, later, cliques) {
    UNWIND range(0, size(cliques) - 1) AS i
    UNWIND range(0, size(cliques) - 1) AS j
    WITH d, run, wild, problem, later, cliques[i] AS one, cliques[j] AS other, i, j
    WHERE problem IS NULL AND i < j
    WITH d, run, wild, later, one, other, one + [x IN other WHERE NOT x IN one] AS both
    WHERE size(both) <= run.k AND all(x IN both WHERE all(y IN both WHERE all(q IN range(0, size(later[x].code) - 1) WHERE
        CASE WHEN later[x].code[q] < 0 OR later[y].code[q] < 0 THEN wild OR later[x].code[q] = later[y].code[q]
        ELSE later[x].least[q] <= later[y].code[q] AND later[y].code[q] <= later[x].most[q] END)))
    MATCH (issue:Issue {dataset: $dataset, sensitive: false})
    WITH d, run, one, other, size(both) AS size, issue.position AS issue,
         reduce(xs = [], m IN both | xs + [y IN later[m].xs WHERE y.issue = issue.position | y.x]) AS xs
    // the scale's ends in the run's unit, on the grid
    WITH run.width AS width, run.unit AS unit, one, other, size, issue, xs,
         CASE WHEN run.separates THEN size - size(xs) ELSE 0 END AS nulls, CASE
        WHEN NOT run.grid THEN d.scaleMin
        WHEN round(d.scaleMin * run.unit) / run.unit >= d.scaleMin THEN round(d.scaleMin * run.unit)
        ELSE round(d.scaleMin * run.unit) + 1.0
    END AS first, CASE
        WHEN NOT run.grid THEN d.scaleMax
        WHEN round(d.scaleMax * run.unit) / run.unit <= d.scaleMax THEN round(d.scaleMax * run.unit)
        ELSE round(d.scaleMax * run.unit) - 1.0
    END AS last
    WITH unit, one, other, size, issue, xs, nulls, reduce(total = 0.0, x IN xs | total + abs(x)) AS erased, CASE
        WHEN last - first <= width THEN [[first, last]]
        ELSE [low IN xs + [x IN xs | x - width] + [0.0, 0.0 - width, first, last - width]
            WHERE low >= first AND low <= last - width | [low, low + width]]
    END AS windows
    WITH unit, one, other, size, xs, nulls, erased, reduce(best = null, moved IN [v IN windows | reduce(
        moved = nulls * CASE WHEN v[0] > 0.0 THEN v[0] WHEN v[1] < 0.0 THEN 0.0 - v[1] ELSE 0.0 END, x IN xs |
        moved + CASE WHEN x < v[0] THEN v[0] - x WHEN x > v[1] THEN x - v[1] ELSE 0.0 END)] |
        CASE WHEN best < moved THEN best ELSE moved END) AS moved
    WITH unit, one, other, size, CASE
        WHEN size(xs) = 0 THEN 0.0
        WHEN nulls > 0 AND erased <= moved THEN erased
        ELSE moved
    END AS cost
    WITH unit, one, other, size, sum(cost) AS cost
    RETURN collect({cost: cost / unit, size: size, one: one, other: other}) AS unions
}
UNWIND CASE WHEN problem IS NULL THEN unions ELSE [null] END AS row
WITH row.cost AS distortion, row.size AS size, row.one AS one, row.other AS other, later, problem
RETURN distortion, size, CASE WHEN problem IS NULL THEN [m IN one | later[m].id] END AS left,
       CASE WHEN problem IS NULL THEN [m IN other | later[m].id] END AS right, problem
ORDER BY size DESC, distortion, one, other
