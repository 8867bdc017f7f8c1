// title: Which record of another component could these records borrow, and at what cost?
// definition: Case 3.1 [SWLP10, §4.4]: a record may be lent if every other record of its component is in a clique without
//   it: it is the only one that is left out there, or the only one that is can take its place; or nobody is, and its
//   clique has more than k records, or the others of it can join cliques all of whose members are near them. That is
//   what partition/borrow does; a greedy worked out anew might fill the component where no such exchange does.
//   distortion is the least sum |x - x'| that makes the borrowers and the record one clique, issue by issue
//   [SWLP10, Def. 5-6]: into a window on the scale, a null from 0, which for sorted ratings is what the first and the
//   last, the second and the last but one, ... are apart beyond its width; or by suppressing the issue, where there are
//   nulls and they separate. Quasi-identifiers cannot be moved: a record that breaks a rule of one cannot be lent.
// params:
//   dataset: STRING -- name the dataset was ingested under, with its ratings
//   run: STRING of complete-run -- name of the run
//   records: LIST<ANY> of record -- ids of the records that borrow
// columns:
//   distortion: FLOAT? -- of the borrowers and the record
//   record: ANY? -- id of the record that may be lent
//   position: INTEGER? -- its 0-based place in the data
//   component: INTEGER? -- its component: position of the first record there
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: position
// order: distortion, position
// reads: Dataset, Record, RATED, Issue, PROXIMATE, Run, LEFT_OUT, Clique, MEMBER_OF
// writes: nothing
// complexity: O(pairs + ratings * records that borrow)
// example: ratingpriv query run partition/borrowing-candidates --param dataset=survey --param run=a --param records='["t5", "t6"]'
OPTIONAL MATCH (d:Dataset {name: $dataset})
OPTIONAL MATCH (run:Run {dataset: $dataset, run: $run})
CALL (run) {  // who asks: the borrowers, each with its component and its quasi-identifiers
    UNWIND $records AS id
    WITH DISTINCT run, id
    MATCH (r:Record {id: id, dataset: $dataset})
    OPTIONAL MATCH (r)-[:MEMBER_OF]->(c:Clique {dataset: $dataset, run: $run})
    OPTIONAL MATCH (r)-[w:LEFT_OUT]->(run)
    RETURN collect({id: r.id, position: r.position, component: coalesce(c.component, w.component),
        code: coalesce(r.quasiCode, []), least: r.quasiLeast, most: r.quasiMost}) AS asking
}
WITH run, asking, [x IN asking | x.component] AS own, d.nulls = 'wildcard' AS wild, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN run IS NULL THEN 'the dataset has no run of this name'
    WHEN NOT coalesce(run.complete, false) THEN 'the run is not complete: run it again'
    WHEN NOT coalesce(run.ratings, false) THEN 'the ratings are not in the store: ingest them with --ratings'
    WHEN run.fill IS NULL THEN 'the run is of an earlier version: run it again'
    WHEN size($records) = 0 THEN 'no record is named'
    WHEN NOT all(id IN $records WHERE id IN [x IN asking | x.id]) THEN 'a record that is named is not in the dataset'
    WHEN NOT all(x IN asking WHERE all(y IN asking WHERE all(q IN range(0, size(x.code) - 1) WHERE
        (d.nulls = 'wildcard' AND (x.code[q] < 0 OR y.code[q] < 0)) OR (x.least[q] <= y.code[q] AND y.code[q] <= x.most[q]))))
        THEN 'the records that are named differ on a quasi-identifier, and no change of ratings makes them proximate'
END AS problem
CALL (run, problem, own) {  // where one record is left out: it, and those whose place it can take
    MATCH (run)<-[w:LEFT_OUT]-(l:Record {dataset: $dataset})
    WHERE problem IS NULL AND NOT w.component IN own
    WITH run, w.component AS component, collect(l.position) AS left
    CALL (run, left) {
        MATCH (l:Record {position: left[0], dataset: $dataset})-[p:PROXIMATE]-(a:Record)
        WHERE size(left) = 1 AND p.distance <= run.epsilon
        WITH collect(a) AS near  // at once, else a planner may begin with the cliques of all datasets
        UNWIND near AS a
        MATCH (a)-[:MEMBER_OF]->(c)
        WHERE c.dataset = $dataset AND c.run = $run
        WITH c, collect(a.position) AS near
        WHERE size(near) = c.size - 1 AND c.made IN ['greedy', 'whole']
        MATCH (c)<-[:MEMBER_OF]-(u:Record {dataset: $dataset})
        WHERE NOT u.position IN near
        RETURN collect(u.position) AS replaced
    }
    RETURN collect({component: component, able: CASE WHEN size(left) = 1 THEN left + replaced ELSE [] END}) AS open
}
CALL (run, problem, own, open) {  // where nobody is: those who leave k behind, or mates who can all join other cliques
    MATCH (c:Clique {dataset: $dataset, run: $run})<-[:MEMBER_OF]-(u:Record {dataset: $dataset})
    WHERE problem IS NULL AND c.made IN ['greedy', 'whole'] AND NOT c.component IN own + [x IN open | x.component]
    CALL (run, u, c) {
        MATCH (u)-[p:PROXIMATE]-(a:Record)-[:MEMBER_OF]->(o)
        WHERE c.size = run.k AND p.distance <= run.epsilon AND o.dataset = $dataset AND o.run = $run AND o.id <> c.id
        WITH o, count(a) AS near
        WHERE near = o.size
        RETURN count(o) = 0 AS stays
    }
    WITH run, c, collect(u.position) AS members, collect(CASE WHEN stays THEN u.position END) AS staying
    RETURN collect({component: c.component, able: CASE
        WHEN c.size > run.k OR size(staying) = 0 THEN members
        WHEN size(staying) = 1 THEN staying
        ELSE []
    END}) AS spare
}
CALL (run, asking) {  // by issue: what the borrowers rate, sorted (ys), and they with somebody who does not rate it (zs)
    MATCH (i:Issue {dataset: $dataset, sensitive: false})
    UNWIND asking + [null] AS b
    OPTIONAL MATCH (r:Record {position: b.position, dataset: $dataset})-[t:RATED]->(i)
    WITH run, i.position AS issue, b, CASE WHEN run.grid THEN round(t.rating * run.unit) ELSE t.rating END AS x
    WITH run, issue, b, x, CASE WHEN run.separates THEN coalesce(x, run.fill) ELSE x END AS y
    ORDER BY issue, y
    WITH run, issue, collect(CASE WHEN b IS NOT NULL THEN y END) AS ys, collect(y) AS zs, count(x) AS rated, sum(abs(coalesce(x, 0.0))) AS erased
    WITH issue, ys, zs, rated, erased, reduce(moved = (size(zs) - rated) * abs(run.fill), apart IN
        [i IN range(0, size(zs) / 2 - 1) | zs[-1 - i] - zs[i]] | moved + CASE WHEN apart > run.width THEN apart - run.width ELSE 0.0 END) AS moved
    ORDER BY issue
    RETURN collect({ys: ys, nulls: size(ys) - rated, erased: erased,
        cost: CASE WHEN size(zs) > rated AND erased < moved THEN erased ELSE moved END}) AS issues
}
CALL (wild, asking, open, spare) {  // who may lend: those of either kind who break no rule with a borrower
    UNWIND open + spare AS part
    UNWIND part.able AS position
    MATCH (r:Record {position: position, dataset: $dataset})
    WHERE all(x IN asking WHERE all(q IN range(0, size(x.code) - 1) WHERE
        (wild AND (x.code[q] < 0 OR r.quasiCode[q] < 0)) OR (x.least[q] <= r.quasiCode[q] AND r.quasiCode[q] <= x.most[q])))
    RETURN collect({id: r.id, position: position, component: part.component}) AS lenders
}
CALL (run, issues, lenders) {  // by issue and rating: what it costs more than no rating
    UNWIND lenders AS u
    MATCH (:Record {position: u.position, dataset: $dataset})-[t:RATED]->(i)  // of no label, else a planner may begin there
    WHERE NOT i.sensitive
    WITH i.position AS issue, CASE WHEN run.grid THEN round(t.rating * run.unit) ELSE t.rating END AS x, collect(u) AS who
    WITH issues[issue] AS b, x, who
    WITH b, who, b.erased + abs(x) AS erased, [y IN b.ys WHERE y <= x | toFloat(y)] + [toFloat(x)] + [y IN b.ys WHERE y > x | toFloat(y)] AS ys
    WITH b, who, erased, reduce(moved = b.nulls * abs(run.fill), apart IN [i IN range(0, size(ys) / 2 - 1) | ys[-1 - i] - ys[i]] |
        moved + CASE WHEN apart > run.width THEN apart - run.width ELSE 0.0 END) AS moved
    RETURN collect({who: who, cost: CASE WHEN b.nulls > 0 AND erased < moved THEN erased ELSE moved END - b.cost}) AS cells
}
// the cost of a lender: what the borrowers cost with a record without ratings, and what each of its ratings adds
UNWIND CASE WHEN problem IS NULL THEN cells + [{who: lenders, cost: reduce(total = 0.0, b IN issues | total + b.cost)}]
    ELSE [{who: [null]}] END AS cell
UNWIND cell.who AS u
WITH problem, run.unit AS unit, u.id AS record, u.position AS position, u.component AS component, sum(cell.cost) AS cost
RETURN CASE WHEN problem IS NULL THEN cost / unit END AS distortion, record, position, component, problem
ORDER BY distortion, position
