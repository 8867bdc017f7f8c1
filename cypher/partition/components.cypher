// title: Connected components: which record is in which
// definition: components of the proximity graph restricted to epsilon [SWLP10, §4.4]; a k-decomposition never crosses
//   one. No row at all means no such dataset, or one that cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   component: INTEGER -- position of the first record of its component
// key: position
// order: component, position
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(records + pairs), few of them where most records are in one component; where components are chains,
//   O(records) for each of their records at worst; sensible up to some 10 million pairs
// example: ratingpriv query run partition/components --param dataset=survey --param epsilon=1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
CALL () {  // two steps from the record with most neighbours: as a rule most of the largest component
    MATCH (r:Record {dataset: $dataset})
    WITH r
    ORDER BY r.sizes[-1] DESC, r.position
    LIMIT 1
    CALL (r) {  // an optional match would look at all pairs in one of the stores
        MATCH (r)-[p:PROXIMATE]-(a:Record)
        WHERE p.distance <= $epsilon
        WITH a.position AS position, a.sizes[-1] AS size
        ORDER BY size DESC, position
        RETURN collect(position) AS near
    }
    RETURN [r.position] + near[..200] AS middle
}
CALL (middle) {
    MATCH (r:Record {dataset: $dataset})
    RETURN r.position AS position, r.id AS id, 0 AS reached
  UNION ALL
    UNWIND middle AS position
    MATCH (:Record {position: position, dataset: $dataset})-[p:PROXIMATE]-(a:Record)
    WHERE p.distance <= $epsilon
    RETURN DISTINCT a.position AS position, a.id AS id, 1 AS reached
}
WITH position, id, max(reached) AS reached
ORDER BY position
WITH collect(id) AS ids, collect(CASE WHEN reached = 1 THEN 0 ELSE position + 1 END) AS labels
WITH ids, [0] + labels AS labels
CALL (labels) {  // the neighbours of all others
    MATCH (r:Record {dataset: $dataset})
    CALL (r, labels) {
        UNWIND CASE WHEN labels[r.position + 1] > 0 THEN [1] ELSE [] END AS other
        MATCH (r)-[p:PROXIMATE]-(a:Record)
        WHERE p.distance <= $epsilon
        WITH collect(DISTINCT labels[a.position + 1]) AS near
        RETURN CASE WHEN 0 IN near THEN [0] ELSE near END AS near
    }
    WITH r.position AS position, near
    ORDER BY position
    WITH collect(near) AS nears
    RETURN [[]] + nears AS nears
}
// the least label of the neighbours, then the label of that one, until nothing changes
WITH ids, reduce(state = [labels, true], step IN labels | CASE WHEN state[1] THEN reduce(next = state, least IN
    [[i IN range(0, size(labels) - 1) | reduce(least = state[0][i], a IN nears[i] | CASE WHEN state[0][a] < least THEN state[0][a] ELSE least END)]] |
    reduce(next = next, least IN [[x IN least | least[x]]] | [least, least <> next[0]])) ELSE state END)[0] AS labels
CALL (labels) {
    UNWIND range(0, size(labels) - 2) AS position
    WITH labels[position + 1] AS label, position
    WITH label, min(position) AS component, collect(position) AS members
    UNWIND members AS position
    WITH position, component
    ORDER BY position
    RETURN collect(component) AS components
}
WITH [i IN range(0, size(ids) - 1) | {record: ids[i], position: i, component: components[i]}] AS rows
UNWIND rows AS row
RETURN row.record AS record, row.position AS position, row.component AS component
ORDER BY component, position
