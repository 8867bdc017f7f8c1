// title: How far is a release from its original?
// definition: sum |x - x'| over the released records and all issues, a null counted as 0 [SWLP10, Def. 5-6]
//   Ratings only: quasi-identifiers that were suppressed are not counted.
// params:
//   dataset: STRING -- name the original was ingested under, with its ratings
//   run: STRING of linked-release -- name of the release
// columns:
//   distortion: FLOAT? -- how far the released records were moved
//   changed: INTEGER? -- ratings that are others now
//   filled: INTEGER? -- imputed cells: nulls that have a rating now
//   erased: INTEGER? -- suppressed cells: ratings that are nulls now
//   touched: INTEGER? -- released records with at least one of these
//   released: INTEGER? -- released records
//   withheld: INTEGER? -- records of the original that the release leaves out; distortion does not count them
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// facts:
//   released counts anonymize/distortion-by-record
// order: none (one row)
// reads: Dataset, Record, RATED, Issue, Release, RELEASED_AS
// writes: nothing
// complexity: O(ratings)
// example: ratingpriv query run anonymize/distortion --param dataset=survey --param run=a
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
OPTIONAL MATCH (r:Record {dataset: $dataset})
WHERE problem IS NULL
OPTIONAL MATCH (r)-[:RELEASED_AS]->(s:Record {dataset: x.released})
CALL (r, s) {
    MATCH (r)-[t:RATED]->(i:Issue {sensitive: false})
    WHERE s IS NOT NULL
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
WITH problem, d.records AS records, count(s) AS released, sum(distortion) AS distortion, sum(changed) AS changed,
     sum(filled) AS filled, sum(erased) AS erased, sum(CASE WHEN changed + filled + erased > 0 THEN 1 ELSE 0 END) AS touched
RETURN CASE WHEN problem IS NULL THEN distortion END AS distortion,
       CASE WHEN problem IS NULL THEN changed END AS changed,
       CASE WHEN problem IS NULL THEN filled END AS filled,
       CASE WHEN problem IS NULL THEN erased END AS erased,
       CASE WHEN problem IS NULL THEN touched END AS touched,
       CASE WHEN problem IS NULL THEN released END AS released,
       CASE WHEN problem IS NULL THEN records - released END AS withheld,
       problem
ORDER BY problem
