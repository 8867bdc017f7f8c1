// title: Which record of another component could these records borrow, and at what cost?
// definition: Case 3 [SWLP10, §4.4]: a record may be lent if its own component, without it, is still filled by greedy
//   cliques: the decomposition of partition/decompose, here worked out anew for every record that might be lent.
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
// complexity: O(sum over the components of size^2 * degree * k); sensible up to components of some 100 records
// example: ratingpriv query run partition/borrowing-candidates --param dataset=survey --param run=a --param records='["t5", "t6"]'
OPTIONAL MATCH (d:Dataset {name: $dataset})
OPTIONAL MATCH (run:Run {dataset: $dataset, run: $run})
WITH run, d.nulls = 'wildcard' AS wild, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN run IS NULL THEN 'the dataset has no run of this name'
    WHEN NOT coalesce(run.complete, false) THEN 'the run is not complete: run it again'
    WHEN NOT coalesce(run.ratings, false) THEN 'the ratings are not in the store: ingest them with --ratings'
    WHEN size($records) = 0 THEN 'no record is named'
END AS problem
OPTIONAL MATCH (r:Record {dataset: $dataset})
WHERE problem IS NULL AND r.id IN $records
OPTIONAL MATCH (r)-[:MEMBER_OF]->(c:Clique {dataset: $dataset, run: $run})
OPTIONAL MATCH (r)-[w:LEFT_OUT]->(run)
WITH run, wild, problem, collect(r.position) AS borrowers, collect(DISTINCT coalesce(c.component, w.component)) AS own,
     collect({code: coalesce(r.quasiCode, []), least: r.quasiLeast, most: r.quasiMost}) AS asking
WITH run, wild, asking, CASE
    WHEN problem IS NOT NULL THEN problem
    WHEN size(borrowers) < size(reduce(seen = [], id IN $records | CASE WHEN id IN seen THEN seen ELSE seen + [id] END))
        THEN 'a record that is named is not in the dataset'
    WHEN NOT all(x IN asking WHERE all(y IN asking WHERE all(q IN range(0, size(x.code) - 1) WHERE
        CASE WHEN x.code[q] < 0 OR y.code[q] < 0 THEN wild OR x.code[q] = y.code[q]
        ELSE x.least[q] <= y.code[q] AND y.code[q] <= x.most[q] END)))
        THEN 'the records that are named differ on a quasi-identifier, and no change of ratings makes them proximate'
END AS problem, borrowers, own
OPTIONAL MATCH (r:Record {dataset: $dataset})
WHERE problem IS NULL
OPTIONAL MATCH (r)-[m:MEMBER_OF]->(c:Clique {dataset: $dataset, run: $run})
OPTIONAL MATCH (r)-[w:LEFT_OUT]->(run)
WITH run, problem, borrowers, own, r, coalesce(c.component, w.component) AS component, coalesce(m.turn, w.turn) AS turn,
     all(x IN asking WHERE all(q IN range(0, size(x.code) - 1) WHERE
         CASE WHEN x.code[q] < 0 OR r.quasiCode[q] < 0 THEN wild OR x.code[q] = r.quasiCode[q]
         ELSE x.least[q] <= r.quasiCode[q] AND r.quasiCode[q] <= x.most[q] END)) AS fits
WHERE problem IS NOT NULL OR NOT component IN own
OPTIONAL MATCH (r)-[p:PROXIMATE]-(near:Record)
WHERE p.distance <= run.epsilon
WITH run, problem, borrowers, component, turn, fits, r.id AS id, r.position AS position, near.position AS other,
     p.distance AS distance
ORDER BY distance, other
WITH run, problem, borrowers, component, turn, fits, id, position, collect(other) AS near, collect(distance) AS far
ORDER BY turn
WITH run, problem, borrowers, component, collect({id: id, position: position, near: near, far: far, fits: fits}) AS members
UNWIND members AS lent
WITH run, problem, borrowers, component, members, lent
WHERE problem IS NOT NULL OR lent.fits
// seeds, as in partition/decompose/seed: placed are the positions that are taken, the lent one first of all
WITH run, problem, borrowers, component, members, lent,
     reduce(state = {placed: [lent.position], groups: []}, s IN members | CASE
         WHEN s.position IN state.placed THEN state
         ELSE [clique IN [reduce(taken = [s], c IN s.near | CASE
             WHEN size(taken) < run.k AND NOT c IN state.placed AND all(member IN taken WHERE c IN member.near)
                 THEN taken + [x IN members WHERE x.position = c]
             ELSE taken
         END)] | CASE
             WHEN size(clique) = run.k THEN {placed: state.placed + [x IN clique | x.position],
                 groups: state.groups + [[x IN clique | x.position]]}
             ELSE state
         END][0]
     END) AS seeded
// joiners, as in partition/decompose/join; near is sorted by distance, so that the last hit is the farthest member
WITH run, problem, borrowers, component, lent, size(members) AS size,
     reduce(state = seeded, s IN members | CASE
         WHEN s.position IN state.placed THEN state
         ELSE [best IN [reduce(found = {at: -1, far: 0.0}, g IN range(0, size(state.groups) - 1) |
             [hits IN [[x IN range(0, size(s.near) - 1) WHERE s.near[x] IN state.groups[g]]] | CASE
                 WHEN size(hits) = size(state.groups[g])
                     AND (found.at < 0 OR s.far[hits[size(hits) - 1]] < found.far)
                     THEN {at: g, far: s.far[hits[size(hits) - 1]]}
                 ELSE found
             END][0])] | CASE
             WHEN best.at < 0 THEN state
             ELSE {placed: state.placed + [s.position], groups: [g IN range(0, size(state.groups) - 1) |
                 CASE WHEN g = best.at THEN state.groups[g] + [s.position] ELSE state.groups[g] END]}
         END][0]
     END) AS joined
WITH run, problem, borrowers, component, lent, size, size(joined.placed) AS placed
WHERE problem IS NOT NULL OR placed = size
WITH run, problem, component, lent.id AS record, lent.position AS lent, borrowers + [lent.position] AS members
UNWIND CASE WHEN problem IS NOT NULL THEN [null] ELSE members END AS position
OPTIONAL MATCH (r:Record {dataset: $dataset, position: position})-[t:RATED]->(i:Issue {sensitive: false})
WITH run, problem, component, record, lent, size(members) AS size, i.position AS issue,
     CASE WHEN run.grid THEN round(t.rating * run.unit) ELSE t.rating END AS x
ORDER BY x
WITH run, problem, component, record, lent, size, issue, collect(x) AS xs
WITH run, problem, component, record, lent, xs, xs[0] AS least, xs[size(xs) - 1] AS most,
     CASE WHEN run.separates THEN size - size(xs) ELSE 0 END AS nulls
OPTIONAL MATCH (d:Dataset {name: $dataset})
WITH run, problem, component, record, lent, xs, least, most, nulls, d.scaleMin AS first, d.scaleMax AS last
// the scale's ends in the run's unit, on the grid
WITH run, problem, component, record, lent, xs, least, most, nulls, CASE
    WHEN NOT run.grid THEN first
    WHEN round(first * run.unit) / run.unit >= first THEN round(first * run.unit)
    ELSE round(first * run.unit) + 1.0
END AS first, CASE
    WHEN NOT run.grid THEN last
    WHEN round(last * run.unit) / run.unit <= last THEN round(last * run.unit)
    ELSE round(last * run.unit) - 1.0
END AS last
WITH run, problem, component, record, lent, xs, nulls, CASE
    WHEN nulls = 0 AND most - least <= run.width THEN [[least, most]]
    WHEN last - first <= run.width THEN [[first, last]]
    ELSE [low IN xs + [x IN xs | x - run.width] + [0.0, 0.0 - run.width, first, last - run.width]
        WHERE low >= first AND low <= last - run.width | [low, low + run.width]]
END AS windows
WITH run, problem, component, record, lent, xs, nulls, reduce(total = 0.0, x IN xs | total + abs(x)) AS erased,
     reduce(best = null, y IN [v IN windows | reduce(
         total = nulls * CASE WHEN v[0] > 0.0 THEN v[0] WHEN v[1] < 0.0 THEN 0.0 - v[1] ELSE 0.0 END, x IN xs |
         total + CASE WHEN x < v[0] THEN v[0] - x WHEN x > v[1] THEN x - v[1] ELSE 0.0 END)] |
         CASE WHEN best IS NULL OR y < best THEN y ELSE best END) AS moved
WITH run, problem, component, record, lent, CASE WHEN size(xs) = 0 THEN 0.0
    WHEN nulls > 0 AND erased <= moved THEN erased ELSE moved END AS cost
WITH problem, component, record, lent AS position, run.unit AS unit, sum(cost) AS cost
RETURN CASE WHEN problem IS NULL THEN cost / unit END AS distortion, record, position, component, problem
ORDER BY distortion, position
