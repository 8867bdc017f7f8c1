// title: Records between the groups of two releases of the same people
// definition: each record with its group, a clique [SWLP10, §4.3], in two releases by swap, those first that share both
//   with the fewest others: `together` 1 is a record that both releases together isolate. Lines lead to the groups.
//   At most 24 records, so that Browser draws at most 72 nodes. No row means no two complete releases by swap with their
//   keys, or that the dataset cannot be queried.
// params:
//   dataset: STRING -- name the original was ingested under
//   run: STRING of swapped-release -- name of one release
//   other: STRING of swapped-release -- name of another one
// columns:
//   r: NODE -- a record of the original
//   g: NODE? -- its group in the release; null: suppressed in it
//   h: NODE? -- its group in the other one; null: suppressed in it
//   lines: LIST<RELATIONSHIP> -- that it is in them
//   together: INTEGER -- records that are in the same group as it in both
// key: r
// order: together, r (by position)
// reads: Dataset, Record, Release, SwapGroup, SWAPPED_IN
// writes: nothing
// complexity: O(records)
// example: ratingpriv query run browse/two-releases --param dataset=survey --param run=s --param other=s2
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (x:Release {dataset: $dataset, run: $run, complete: true})
MATCH (y:Release {dataset: $dataset, run: $other, complete: true})
WHERE x.groups > 0 AND y.groups > 0
MATCH (r:Record {dataset: $dataset})
OPTIONAL MATCH (r)-[m:SWAPPED_IN]->(g:SwapGroup)
WHERE g.dataset = x.released
OPTIONAL MATCH (r)-[n:SWAPPED_IN]->(h:SwapGroup)
WHERE h.dataset = y.released
WITH r, m, g, n, h
WHERE g IS NOT NULL OR h IS NOT NULL
WITH g, h, collect(r) AS members, collect(m) AS first, collect(n) AS second
WITH g, h, members, first, second, size(members) AS together
UNWIND range(0, together - 1) AS place
WITH g, h, together, members[place] AS r, [first[place], second[place]] AS lines
RETURN r, g, h, [line IN lines WHERE line IS NOT NULL] AS lines, together
ORDER BY together, r.position
LIMIT 24
