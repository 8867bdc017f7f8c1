// title: The (k-1)-core: which records stay, which have to go
// definition: deleting the records outside the (k-1)-core is the smallest deletion that makes the rest
//   (k,epsilon)-anonymous [SWLP10, Thm 1]. No row at all means no such dataset, or one that cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   in_core: BOOLEAN -- whether it stays
// key: position
// order: position
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(records + pairs) a round of peeling, at most as many rounds as records, in practice a few; sensible up
//   to some 10 million pairs
// example: ratingpriv query run partition/core --param dataset=survey --param k=5 --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax AND $k >= 1
CALL () {
    MATCH (r:Record {dataset: $dataset})
    CALL (r) {
        MATCH (r)-[p:PROXIMATE]-(a:Record)
        WHERE p.distance <= $epsilon
        RETURN collect(a.position) AS near
    }
    WITH r.id AS id, r.position AS position, near
    ORDER BY position
    RETURN collect(id) AS ids, collect(near) AS nears
}
// remove records with too few neighbours left, until there is none
WITH ids, reduce(state = [[near IN nears | size(near) >= $k - 1], true], step IN ids | CASE WHEN state[1] THEN reduce(next = state, rest IN
    [[i IN range(0, size(ids) - 1) | state[0][i] AND size([a IN nears[i] WHERE state[0][a]]) >= $k - 1]] | [rest, rest <> next[0]])
    ELSE state END)[0] AS core
WITH [i IN range(0, size(ids) - 1) | {record: ids[i], position: i, in_core: core[i]}] AS rows
UNWIND rows AS row
RETURN row.record AS record, row.position AS position, row.in_core AS in_core
ORDER BY position
