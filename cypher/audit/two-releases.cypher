// title: Which groups of two releases of the same people intersect, and which records are isolated?
// definition: the groups of two releases by swap, cliques [SWLP10, §4.3] of the same original, and the records that both
//   put together. Each release has at least k records in a group; both together have the exact counts of both, and
//   distinguish a record that shares both groups with no other one: an intersection of 1, or a record of one
//   release only, whose row is the difference of two tables (docs/swap.md)
// params:
//   dataset: STRING -- name the original was ingested under
//   run: STRING of swapped-release -- name of one release
//   other: STRING of swapped-release -- name of another one
// columns:
//   first: INTEGER? -- number of a group of the release; null: suppressed in it
//   second: INTEGER? -- number of a group of the other one; null: suppressed in it
//   first_size: INTEGER? -- records in the group of the release
//   second_size: INTEGER? -- records in that of the other one
//   together: INTEGER? -- records in both; records in neither release are not counted
//   alone: ANY? -- id of the record that is in both alone; null where there are more
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: first, second
// order: together (fewest first), first, second
// reads: Dataset, Record, Release, SwapGroup, SWAPPED_IN
// writes: nothing
// complexity: O(records)
// example: ratingpriv query run audit/two-releases --param dataset=survey --param run=s --param other=s2
OPTIONAL MATCH (d:Dataset {name: $dataset})
OPTIONAL MATCH (x:Release {dataset: $dataset, run: $run})
OPTIONAL MATCH (y:Release {dataset: $dataset, run: $other})
WITH x, y, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN x IS NULL OR y IS NULL THEN 'the dataset has no release of this name'
    WHEN NOT coalesce(x.complete AND y.complete, false) THEN 'a release is not completely loaded: ingest it again'
    WHEN NOT coalesce(x.groups > 0 AND y.groups > 0, false)
        THEN 'a release has no groups: it is none by swap, or was ingested without its key'
END AS problem
OPTIONAL MATCH (r:Record {dataset: $dataset})
WHERE problem IS NULL
OPTIONAL MATCH (r)-[:SWAPPED_IN]->(g:SwapGroup)
WHERE g.dataset = x.released
OPTIONAL MATCH (r)-[:SWAPPED_IN]->(h:SwapGroup)
WHERE h.dataset = y.released
WITH problem, g.id AS first, g.size AS first_size, h.id AS second, h.size AS second_size, r
WHERE problem IS NOT NULL OR first IS NOT NULL OR second IS NOT NULL
WITH problem, first, second, first_size, second_size, count(r) AS records, min(r.id) AS id
RETURN first, second, first_size, second_size, CASE WHEN problem IS NULL THEN records END AS together,
       CASE WHEN records = 1 THEN id END AS alone, problem
ORDER BY together, first, second
