// title: In which group were the values of each record exchanged?
// definition: the groups of a release by swap, cliques [SWLP10, §4.3] within which each column was permuted on its own.
//   Which released record has whose value is not in the store, and no record is tied to a person
// params:
//   dataset: STRING -- name the original was ingested under
//   run: STRING of swapped-release -- name of the release
// columns:
//   record: ANY? -- id of a record of the original
//   position: INTEGER? -- its 0-based place in the data
//   group: INTEGER? -- number of its group; null where it was suppressed
//   size: INTEGER? -- records in the group
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: position
// order: group (suppressed records last), position
// reads: Dataset, Record, Release, SwapGroup, SWAPPED_IN
// writes: nothing
// complexity: O(records)
// example: ratingpriv query run anonymize/swapped --param dataset=survey --param run=s
OPTIONAL MATCH (d:Dataset {name: $dataset})
OPTIONAL MATCH (x:Release {dataset: $dataset, run: $run})
WITH x, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN x IS NULL THEN 'the dataset has no release of this name'
    WHEN NOT coalesce(x.complete, false) THEN 'the release is not completely loaded: ingest it again'
    WHEN NOT coalesce(x.groups > 0, false) THEN 'the release has no groups: it is none by swap, or was ingested without its key'
END AS problem
OPTIONAL MATCH (r:Record {dataset: $dataset})
WHERE problem IS NULL
OPTIONAL MATCH (r)-[:SWAPPED_IN]->(g:SwapGroup)
WHERE g.dataset = x.released
RETURN r.id AS record, r.position AS position, g.id AS group, g.size AS size, problem
ORDER BY group, position
