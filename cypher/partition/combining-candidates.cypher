// title: Which two small cliques could be combined into one, and at what cost?
// definition: Case 3.2 [SWLP10, §4.4, Fig. 9]: where the records of a component, or of two, have no clique of k, two of
//   their largest cliques are combined by adding edges, if both together are at most k records. distortion is the least
//   sum |x - x'| that makes their union one clique, as in partition/borrowing-candidates. Unions of most records come
//   first. The two cliques may share records: their union counts each once, and size is that of the union.
//   Quasi-identifiers cannot be moved: records that break the rule of one cannot be in one union.
// params:
//   dataset: STRING -- name the dataset was ingested under, with its ratings
//   run: STRING of complete-run -- name of the run
//   components: LIST<INTEGER> -- one component or two: the position of the first record there
// columns:
//   distortion: FLOAT? -- of the records of both cliques
//   size: INTEGER? -- records of both
//   left: LIST<ANY>? -- ids of the one clique, in the order of the data
//   right: LIST<ANY>? -- ids of the other
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: left, right
// order: size (the largest first), distortion, positions of left, of right
// reads: Dataset, Record, RATED, Issue, PROXIMATE, Run, LEFT_OUT, Clique, MEMBER_OF
// writes: nothing
// complexity: O(squared largest cliques * issues); sensible up to some 100 records. Where the run has a clique of k in the
//   component nothing is searched, and nothing is answered where there are more than 2,000 cliques of a size
// example: ratingpriv query run partition/combining-candidates --param dataset=survey --param run=a --param components='[4]'
OPTIONAL MATCH (d:Dataset {name: $dataset})
OPTIONAL MATCH (run:Run {dataset: $dataset, run: $run})
WITH run, d.nulls = 'wildcard' AS wild, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN run IS NULL THEN 'the dataset has no run of this name'
    WHEN NOT coalesce(run.complete, false) THEN 'the run is not complete: run it again'
    WHEN NOT coalesce(run.ratings, false) THEN 'the ratings are not in the store: ingest them with --ratings'
    WHEN run.fill IS NULL THEN 'the run is of an earlier version: run it again'
END AS problem
CALL (run, problem) {
    MATCH (run)<-[w:LEFT_OUT]-(r:Record {dataset: $dataset})
    WHERE problem IS NULL AND w.component IN $components
    RETURN collect(r) AS left
}
CALL (run, problem) {
    MATCH (r:Record {dataset: $dataset})-[:MEMBER_OF]->(c:Clique {dataset: $dataset, run: $run})
    WHERE problem IS NULL AND c.component IN $components
    RETURN collect(r) AS placed, max(CASE WHEN c.made IN ['greedy', 'whole'] THEN c.size END) AS largest
}
// a clique of the run is as good as one that is searched for, of which there may be millions
WITH run, wild, left + placed AS members, CASE
    WHEN problem IS NOT NULL THEN problem
    WHEN largest >= run.k THEN 'these records have a clique of k: nothing has to be combined'
END AS problem
WITH run, wild, problem, CASE WHEN problem IS NULL THEN members ELSE [] END AS members
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
// cliques of 1, 2, ... records, until there are no larger ones; in parts of 64, as a list is copied when it grows
WITH run, wild, problem, later, reduce(found = [i IN range(0, size(later) - 1) | [i]], size IN range(2, coalesce(run.k, 1)) |
    reduce(best = found, larger IN [reduce(larger = [], part IN
        [i IN range(0, CASE WHEN size(found) > 2000 THEN -1 ELSE (size(found) - 1) / 64 END) |
            reduce(part = [], c IN found[64 * i..64 * i + 64] | part +
            [x IN later[c[size(c) - 1]].near WHERE size(c) = size - 1 AND all(m IN c WHERE x IN later[m].near) | c + [x]])] |
        larger + part)] |
        CASE WHEN size(larger) > 0 THEN larger ELSE best END)) AS cliques
WITH run, wild, later, cliques, CASE
    WHEN problem IS NOT NULL THEN problem
    WHEN size(later) = 0 THEN 'the run has no such component'
    WHEN size(cliques[0]) = run.k THEN 'these records have a clique of k: nothing has to be combined'
    WHEN size(cliques) > 2000 THEN 'these records have more than 2,000 cliques of ' + toString(size(cliques[0])) +
        ': too many to combine two of them; name another component, or use a smaller epsilon'
END AS problem
CALL (run, wild, problem, later, cliques) {
    UNWIND range(0, size(cliques) - 1) AS i
    UNWIND range(0, size(cliques) - 1) AS j
    WITH run, wild, problem, later, cliques, i, j
    WHERE problem IS NULL AND i < j
    WITH run, wild, later, cliques, i, j, cliques[i] + [x IN cliques[j] WHERE NOT x IN cliques[i]] AS both
    WHERE size(both) <= run.k AND all(x IN both WHERE all(y IN both WHERE all(q IN range(0, size(later[x].code) - 1) WHERE
        (wild AND (later[x].code[q] < 0 OR later[y].code[q] < 0)) OR
        (later[x].least[q] <= later[y].code[q] AND later[y].code[q] <= later[x].most[q]))))
    MATCH (issue:Issue {dataset: $dataset, sensitive: false})
    UNWIND both AS m
    WITH run, i, j, size(both) AS size, issue.position AS issue, [z IN later[m].xs WHERE z.issue = issue.position | z.x][0] AS x
    WITH run, i, j, size, issue, x, CASE WHEN run.separates THEN coalesce(x, run.fill) ELSE x END AS y
    ORDER BY y
    WITH run, i, j, size, issue, collect(y) AS ys, count(x) AS rated, sum(abs(coalesce(x, 0.0))) AS erased
    WITH run, i, j, size, ys, rated, erased, reduce(moved = (size(ys) - rated) * abs(run.fill), apart IN
        [n IN range(0, size(ys) / 2 - 1) | ys[-1 - n] - ys[n]] | moved + CASE WHEN apart > run.width THEN apart - run.width ELSE 0.0 END) AS moved
    WITH run, i, j, size, sum(CASE WHEN size(ys) > rated AND erased < moved THEN erased ELSE moved END) AS cost
    RETURN collect({cost: cost / run.unit, size: size, one: i, other: j}) AS unions
}
UNWIND CASE WHEN problem IS NULL THEN unions ELSE [null] END AS row
WITH row.cost AS distortion, row.size AS size, cliques[row.one] AS one, cliques[row.other] AS other, later, problem
RETURN distortion, size, CASE WHEN problem IS NULL THEN [m IN one | later[m].id] END AS left,
       CASE WHEN problem IS NULL THEN [m IN other | later[m].id] END AS right, problem
ORDER BY size DESC, distortion, one, other
