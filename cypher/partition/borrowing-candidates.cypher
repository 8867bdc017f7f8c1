// title: Which record of another component could these records borrow, and at what cost?
// definition: Case 3.1 [SWLP10, §4.4]: a record may be lent if everybody else of its component is in a clique without
//   it: if nobody is left out there, and its clique has more than k records, or all others of its clique can join
//   cliques whose members are all proximate with them; or if it is the only one that is left out; or if the only one
//   that is left out can take its place. partition/borrow does just that. (A greedy that is worked out anew without
//   the record might fill its component where no such exchange does.)
//   distortion is the least sum |x - x'| that makes the borrowers and the record one clique: issue by issue the best
//   window [a, a + width] on the scale, or, where some do not rate an issue and a null separates, erasing it or
//   filling it in, whichever is cheaper (null = 0) [SWLP10, Def. 5-6]. Quasi-identifiers cannot be moved: whoever breaks
//   the rule of one with a borrower cannot be lent.
// params:
//   dataset: STRING -- name the dataset was ingested under, with its ratings
//   run: STRING of complete-run -- name of the run
//   records: LIST<ANY> of record -- ids of the records that borrow
// columns:
//   distortion: FLOAT? -- of the borrowers and the record
//   record: ANY? -- id of the record that may be lent
//   position: INTEGER? -- its 0-based place in the data
//   component: INTEGER? -- its component: position of the first record there
//   problem: STRING? -- null, or why the question cannot be answered; then every other column is null or says nothing
// order: distortion, position
// reads: Dataset, Record, RATED, Issue, PROXIMATE, Run, LEFT_OUT, Clique, MEMBER_OF
// writes: nothing
// complexity: O(pairs + ratings + issues * levels * squared records that borrow)
// example: ratingpriv query run partition/borrowing-candidates --param dataset=survey --param run=a --param records='["t5", "t6"]'
OPTIONAL MATCH (d:Dataset {name: $dataset})
OPTIONAL MATCH (run:Run {dataset: $dataset, run: $run})
WITH d, run, d.nulls = 'wildcard' AS wild, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN run IS NULL THEN 'the dataset has no run of this name'
    WHEN NOT coalesce(run.complete, false) THEN 'the run is not complete: run it again'
    WHEN NOT coalesce(run.ratings, false) THEN 'the ratings are not in the store: ingest them with --ratings'
    WHEN size($records) = 0 THEN 'no record is named'
END AS problem
CALL (run, problem) {
    UNWIND $records AS id
    WITH DISTINCT problem, run, id
    MATCH (r:Record {id: id, dataset: $dataset})
    WHERE problem IS NULL
    RETURN collect(r) AS borrowers, collect({code: coalesce(r.quasiCode, []), least: r.quasiLeast, most: r.quasiMost}) AS asking
}
CALL (run, borrowers) {
    UNWIND borrowers AS r
    MATCH (r)-[:MEMBER_OF]->(c:Clique {dataset: $dataset, run: $run})
    RETURN collect(c.component) AS placed
}
CALL (run, borrowers) {
    UNWIND borrowers AS r
    MATCH (r)-[w:LEFT_OUT]->(run)
    RETURN collect(w.component) AS left
}
WITH d, run, wild, borrowers, asking, placed + left AS own, CASE
    WHEN problem IS NOT NULL THEN problem
    WHEN size(borrowers) < size(reduce(seen = [], id IN $records | CASE WHEN id IN seen THEN seen ELSE seen + [id] END))
        THEN 'a record that is named is not in the dataset'
    WHEN NOT all(x IN asking WHERE all(y IN asking WHERE all(q IN range(0, size(x.code) - 1) WHERE
        CASE WHEN x.code[q] < 0 OR y.code[q] < 0 THEN wild OR x.code[q] = y.code[q]
        ELSE x.least[q] <= y.code[q] AND y.code[q] <= x.most[q] END)))
        THEN 'the records that are named differ on a quasi-identifier, and no change of ratings makes them proximate'
END AS problem
// who may be lent: where one record is left out, it, and those whose place it can take
CALL (run, problem) {
    MATCH (run)<-[w:LEFT_OUT]-(l:Record {dataset: $dataset})
    WHERE problem IS NULL
    WITH w.component AS component, collect(l.position) AS left
    RETURN collect(component) AS open, collect(CASE WHEN size(left) = 1 THEN {component: component, position: left[0]} END) AS only
}
CALL (run, only, own) {
    UNWIND only AS x
    MATCH (l:Record {position: x.position, dataset: $dataset})-[p:PROXIMATE]-(a:Record)-[:MEMBER_OF]->(c)
    WHERE NOT x.component IN own AND p.distance <= run.epsilon AND c.dataset = $dataset AND c.run = $run
    WITH c, collect(a.position) AS near
    WHERE size(near) = c.size - 1 AND c.made IN ['greedy', 'whole']
    MATCH (c)<-[:MEMBER_OF]-(u:Record {dataset: $dataset})
    WHERE NOT u.position IN near
    RETURN collect({component: c.component, position: u.position}) AS replaced
}
// where nobody is, members of cliques of more than k, and those whose mates can all join other cliques
CALL (run, problem, open, own) {
    MATCH (c:Clique {dataset: $dataset, run: $run})<-[:MEMBER_OF]-(u:Record {dataset: $dataset})
    WHERE problem IS NULL AND c.made IN ['greedy', 'whole'] AND NOT c.component IN open AND NOT c.component IN own
    CALL (run, u, c) {
        WITH run.epsilon AS epsilon, u, c
        WHERE c.size = run.k
        MATCH (u)-[p:PROXIMATE]-(a:Record)-[:MEMBER_OF]->(o)
        WHERE p.distance <= epsilon AND o.dataset = $dataset AND o.run = $run AND o.id <> c.id
        WITH o, count(a) AS near
        WHERE near = o.size
        RETURN count(o) = 0 AS stays
    }
    WITH run, c, collect({position: u.position, stays: stays}) AS members, count(CASE WHEN stays THEN 1 END) AS staying
    UNWIND members AS u
    WITH run, c, u, staying
    WHERE c.size > run.k OR staying = 0 OR (staying = 1 AND u.stays)
    RETURN collect({component: c.component, position: u.position}) AS spare
}
WITH d, run, wild, borrowers, asking, problem, [x IN only WHERE NOT x.component IN own] + replaced + spare AS able
CALL (wild, asking, able) {
    UNWIND able AS u
    MATCH (r:Record {position: u.position, dataset: $dataset})
    WHERE all(x IN asking WHERE all(q IN range(0, size(x.code) - 1) WHERE
        CASE WHEN x.code[q] < 0 OR r.quasiCode[q] < 0 THEN wild OR x.code[q] = r.quasiCode[q]
        ELSE x.least[q] <= r.quasiCode[q] AND r.quasiCode[q] <= x.most[q] END))
    RETURN collect([u.position, u.component]) AS lenders
}
// what each costs, by issue and rating: x is null for who does not rate it
CALL (run, borrowers) {
    MATCH (i:Issue {dataset: $dataset, sensitive: false})
    CALL (run, borrowers, i) {
        UNWIND borrowers AS r
        MATCH (r)-[t:RATED]->(i)
        RETURN collect(CASE WHEN run.grid THEN round(t.rating * run.unit) ELSE t.rating END) AS xs
    }
    RETURN collect({issue: i.position, xs: xs}) AS issues
}
CALL (run, lenders) {
    UNWIND lenders AS u
    MATCH (:Record {position: u[0], dataset: $dataset})-[t:RATED]->(i:Issue {sensitive: false})
    WITH i.position AS issue, CASE WHEN run.grid THEN round(t.rating * run.unit) ELSE t.rating END AS x, collect(u) AS who
    RETURN collect({issue: issue, x: x, who: who}) AS rated
}
WITH d, run, problem, size(borrowers) + 1 AS size, [y IN issues | {issue: y.issue, xs: y.xs, who: lenders}] +
    [z IN rated | {issue: z.issue, xs: [y IN issues WHERE y.issue = z.issue | y.xs + [z.x]][0], x: z.x, who: z.who}] AS cells
CALL (d, run, size, cells) {
    UNWIND cells AS cell
    // the scale's ends in the run's unit, on the grid
    WITH run.width AS width, run.unit AS unit, cell, cell.xs AS xs,
         CASE WHEN run.separates THEN size - size(cell.xs) ELSE 0 END AS nulls, CASE
        WHEN NOT run.grid THEN d.scaleMin
        WHEN round(d.scaleMin * run.unit) / run.unit >= d.scaleMin THEN round(d.scaleMin * run.unit)
        ELSE round(d.scaleMin * run.unit) + 1.0
    END AS first, CASE
        WHEN NOT run.grid THEN d.scaleMax
        WHEN round(d.scaleMax * run.unit) / run.unit <= d.scaleMax THEN round(d.scaleMax * run.unit)
        ELSE round(d.scaleMax * run.unit) - 1.0
    END AS last
    WITH unit, cell, xs, nulls, reduce(total = 0.0, x IN xs | total + abs(x)) AS erased, CASE
        WHEN last - first <= width THEN [[first, last]]
        ELSE [low IN xs + [x IN xs | x - width] + [0.0, 0.0 - width, first, last - width]
            WHERE low >= first AND low <= last - width | [low, low + width]]
    END AS windows
    WITH unit, cell, xs, nulls, erased, reduce(best = null, moved IN [v IN windows | reduce(
        moved = nulls * CASE WHEN v[0] > 0.0 THEN v[0] WHEN v[1] < 0.0 THEN 0.0 - v[1] ELSE 0.0 END, x IN xs |
        moved + CASE WHEN x < v[0] THEN v[0] - x WHEN x > v[1] THEN x - v[1] ELSE 0.0 END)] |
        CASE WHEN best < moved THEN best ELSE moved END) AS moved
    WITH unit, cell, CASE WHEN size(xs) = 0 THEN 0.0 WHEN nulls > 0 AND erased <= moved THEN erased ELSE moved END AS cost
    WITH unit, cell.issue AS issue, collect({x: cell.x, who: cell.who, cost: cost}) AS costs,
         min(CASE WHEN cell.x IS NULL THEN cost END) AS unrated
    UNWIND costs AS each
    WITH unit, each.who AS who, CASE WHEN each.x IS NULL THEN each.cost ELSE each.cost - unrated END AS cost
    UNWIND who AS u
    WITH unit, u[0] AS position, u[1] AS component, sum(cost) AS cost
    MATCH (r:Record {position: position, dataset: $dataset})
    RETURN collect({cost: cost / unit, id: r.id, position: position, component: component}) AS found
}
UNWIND CASE WHEN problem IS NULL THEN found ELSE [null] END AS row
RETURN row.cost AS distortion, row.id AS record, row.position AS position, row.component AS component, problem
ORDER BY distortion, position
