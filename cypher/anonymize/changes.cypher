// title: What was done to the ratings of one record?
// definition: the ratings of a record before and after the data were modified [SWLP10, §4.5]
//   Ratings only: quasi-identifiers that were suppressed are not counted.
// params:
//   dataset: STRING -- name the original was ingested under, with its ratings
//   run: STRING of linked-release -- name of the release
//   record: ANY of record -- id of the record in the original
// columns:
//   issue: STRING? -- an issue that the record rates before or after
//   position: INTEGER? -- its 0-based place in the data
//   before: FLOAT? -- its rating in the original; null where there is none
//   after: FLOAT? -- its rating in the release; null where there is none
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: position
// order: position
// reads: Dataset, Record, RATED, Issue, Release, RELEASED_AS
// writes: nothing
// complexity: O(ratings of the record)
// example: ratingpriv query run anonymize/changes --param dataset=survey --param run=a --param record=t1
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
WHERE r.id = $record AND problem IS NULL
OPTIONAL MATCH (r)-[:RELEASED_AS]->(s:Record {dataset: x.released})
WITH CASE
    WHEN problem IS NOT NULL THEN problem
    WHEN r IS NULL THEN 'the dataset has no record of this id'
    WHEN s IS NULL THEN 'the record was withheld'
END AS problem, r, s
OPTIONAL MATCH (r)-[t:RATED]->(i:Issue {sensitive: false})
WHERE problem IS NULL
WITH problem, s, collect({name: i.name, position: i.position, before: t.rating, after: null}) AS before
OPTIONAL MATCH (s)-[t:RATED]->(i:Issue {sensitive: false})
WHERE problem IS NULL
WITH problem, before, collect({name: i.name, position: i.position, before: null, after: t.rating}) AS after
UNWIND before + after AS cell
WITH problem, cell.name AS issue, min(cell.position) AS position, max(cell.before) AS before, max(cell.after) AS after
WHERE problem IS NOT NULL OR issue IS NOT NULL
RETURN issue, position, before, after, problem
ORDER BY position
