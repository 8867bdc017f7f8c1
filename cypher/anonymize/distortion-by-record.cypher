// title: How far was every record moved?
// definition: sum |x - x'| of a record over all issues, a null counted as 0 [SWLP10, Def. 5]
//   Ratings only: quasi-identifiers that were suppressed are not counted.
// params:
//   dataset: STRING -- name the original was ingested under, with its ratings
//   run: STRING of linked-release -- name of the release
// columns:
//   record: ANY? -- id of the record in the original
//   position: INTEGER? -- its 0-based place there
//   released_as: ANY? -- id of the record that it was released as
//   distortion: FLOAT? -- how far it was moved
//   changed: INTEGER? -- ratings that are others now
//   filled: INTEGER? -- imputed cells: nulls that have a rating now
//   erased: INTEGER? -- suppressed cells: ratings that are nulls now
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: position
// order: distortion (the largest first), position
// reads: Dataset, Record, RATED, Issue, Release, RELEASED_AS
// writes: nothing
// complexity: O(ratings)
// example: ratingpriv query run anonymize/distortion-by-record --param dataset=survey --param run=a
OPTIONAL MATCH (d:Dataset {name: $dataset})
OPTIONAL MATCH (x:Release {dataset: $dataset, run: $run})
WITH d, x, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN x IS NULL THEN 'the dataset has no release of this name'
    WHEN NOT coalesce(x.complete, false) THEN 'the release is not completely loaded: ingest it again'
    WHEN NOT coalesce(x.linked, false) THEN 'the release was ingested without its key: which record is which is not known'
    WHEN NOT coalesce(x.ratings, false) THEN 'the ratings of the original are not in the store: ingest it with --ratings'
END AS problem
OPTIONAL MATCH (r:Record {dataset: $dataset})-[:RELEASED_AS]->(s:Record {dataset: x.released})
WHERE problem IS NULL
CALL (r, s) {
    MATCH (r)-[t:RATED]->(i:Issue {sensitive: false})
    RETURN i.name AS name, t.rating AS before, null AS after
  UNION ALL
    MATCH (s)-[t:RATED]->(i:Issue {sensitive: false})
    RETURN i.name AS name, null AS before, t.rating AS after
  UNION ALL
    RETURN null AS name, null AS before, null AS after  // so that there is a row
}
WITH d, x, problem, r, s, name, max(before) AS before, max(after) AS after
WITH d, x, problem, r, s,
     sum(CASE WHEN before IS NOT NULL AND after IS NOT NULL AND before <> after THEN 1 ELSE 0 END) AS changed,
     sum(CASE WHEN before IS NULL AND after IS NOT NULL THEN 1 ELSE 0 END) AS filled,
     sum(CASE WHEN before IS NOT NULL AND after IS NULL THEN 1 ELSE 0 END) AS erased,
     sum(abs(coalesce(before, 0.0) - coalesce(after, 0.0))) AS distortion
WITH problem, r, s, distortion, changed, filled, erased
WHERE problem IS NOT NULL OR s IS NOT NULL
RETURN r.id AS record, r.position AS position, s.id AS released_as,
       CASE WHEN problem IS NULL THEN distortion END AS distortion,
       CASE WHEN problem IS NULL THEN changed END AS changed,
       CASE WHEN problem IS NULL THEN filled END AS filled,
       CASE WHEN problem IS NULL THEN erased END AS erased,
       problem
ORDER BY distortion DESC, position
