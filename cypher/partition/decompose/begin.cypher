// title: Greedy decomposition, first statement: a run without placed records
// definition: GREEDY(k, epsilon, order) looks for a k-decomposition, a partition into cliques of k records or more
//   [SWLP10, §4.3]. Every record is LEFT_OUT of a run until a clique takes it, so that a run that was broken off
//   never reads as one that placed everybody.
//   unit: the least power of ten that makes every rating in the store a whole number, 1 where none of 10^0 .. 10^9
//   does; width: epsilon in that unit, rounded down; fill: the rating closest to 0 on the scale, in that unit: what a
//   null becomes. They are for the queries that ask what a change costs.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING -- name of the run; partition/runs/remove takes an earlier one of this name away first
//   token: STRING -- any text that no other run has, such as a UUID: the later statements ask for it
//   k: INTEGER >= 1 -- the least size of a clique
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   order: STRING -- position, or fewest: the records with the fewest neighbours first
// columns:
//   records: INTEGER -- records of the run; 0 means that the dataset cannot be queried, or has such a run
// order: none (one row)
// reads: Dataset, Record, RATED, Issue, PROXIMATE, Run
// writes: Run, LEFT_OUT
// complexity: O(records + ratings) in one transaction
// example: ratingpriv query run partition/decompose/begin --param dataset=survey --param run=a --param token=x --param k=2 --param epsilon=1 --param order=position
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax AND $k >= 1 AND $order IN ['position', 'fewest']
OPTIONAL MATCH (earlier:Run {dataset: $dataset, run: $run})
WITH d, count(earlier) AS runs
WHERE runs = 0
OPTIONAL MATCH (:Record {dataset: $dataset})-[t:RATED]->(:Issue {dataset: $dataset, sensitive: false})
WITH d, collect(DISTINCT t.rating) AS ratings
WITH d, reduce(found = null, u IN [1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0, 1000000.0, 10000000.0, 100000000.0,
        1000000000.0] | CASE
    WHEN found IS NOT NULL THEN found
    WHEN all(x IN ratings WHERE abs(x * u) <= 1000000000000000.0 AND round(x * u) / u = x) THEN u
END) AS grid
WITH d, grid IS NOT NULL AS grid, coalesce(grid, 1.0) AS unit, CASE
    WHEN grid IS NULL OR $epsilon * grid > 4000000000000000.0 THEN $epsilon
    WHEN round($epsilon * grid) / grid <= $epsilon THEN round($epsilon * grid)
    ELSE round($epsilon * grid) - 1.0
END AS width, CASE WHEN d.scaleMin > 0.0 THEN d.scaleMin WHEN d.scaleMax < 0.0 THEN d.scaleMax ELSE 0.0 END AS fill
WITH d, grid, unit, width, CASE
    WHEN NOT grid THEN fill
    WHEN abs(round(fill * unit) / unit) >= abs(fill) THEN round(fill * unit)
    ELSE round(fill * unit) + sign(fill)
END AS fill
CREATE (run:Run {dataset: $dataset, run: $run, token: $token, k: $k, epsilon: $epsilon, seedOrder: $order,
    records: d.records, complete: false, statements: 1, ratings: d.allRatings, grid: grid, unit: unit, width: width,
    fill: fill, separates: d.nulls = 'strict' AND coalesce(d.scaleMax <= 0.0 OR $epsilon < d.scaleMax, true)})
WITH run
CALL () {  // a store may use no index behind CREATE
    MATCH (r:Record {dataset: $dataset})
    RETURN r
}
CREATE (r)-[w:LEFT_OUT {component: r.position, turn: r.position, state: 'new'}]->(run)
WITH count(w) AS records
RETURN records
ORDER BY records
