// title: Which issues, or pairs of issues, are released in fewer than l groups?
// definition: every b issues that some record of the original rates together are released in at least l groups, each
//   by a record of the group [CTWY10, Def. 6]
//   No row means that there is none; anonymize/coverage-check also says how many were looked at.
// params:
//   dataset: STRING -- name the original was ingested under, with its ratings
//   run: STRING of release -- name of the release
//   grouping: STRING of release-run -- name of a run of the release by
//     partition/clique-components that places every record: its cliques are the groups
//   b: INTEGER >= 1 <= 2 -- how many ratings of a person may be known
//   l: INTEGER >= 1 -- in how many groups they must occur
// columns:
//   issue: STRING? -- an issue
//   position: INTEGER? -- its 0-based place in the data
//   other: STRING? -- the issue rated together with it; null for b = 1
//   other_position: INTEGER? -- its place, behind the first one's; null for b = 1
//   raters: INTEGER? -- records of the original that rate it, or both
//   groups: INTEGER? -- groups that are released with it, or with both
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// key: position, other_position
// order: groups, position, other_position
// reads: Dataset, Record, RATED, Issue, Release, Run, LEFT_OUT, Clique, MEMBER_OF
// writes: nothing
// complexity: O(ratings), for b = 2 O(sum of squared ratings of each record and of each group); sensible while that sum
//   stays below some million: ratingpriv anonymize checks the same far faster
// example: ratingpriv query run anonymize/coverage --param dataset=survey --param run=a --param grouping=groups --param b=2 --param l=3
OPTIONAL MATCH (d:Dataset {name: $dataset})
OPTIONAL MATCH (x:Release {dataset: $dataset, run: $run})
OPTIONAL MATCH (run:Run {dataset: x.released, run: $grouping})
OPTIONAL MATCH (run)<-[w:LEFT_OUT]-(:Record)
WITH d, x, run, count(w) AS outside
OPTIONAL MATCH (c:Clique {dataset: x.released, run: $grouping})
WITH d, x, run, outside, count(CASE WHEN coalesce(c.made, '') <> 'whole' THEN c END) AS parts
WITH d, x, run, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN x IS NULL THEN 'the dataset has no release of this name'
    WHEN NOT coalesce(x.complete, false) THEN 'the release is not completely loaded: ingest it again'
    WHEN NOT coalesce(x.ratings, false) THEN 'the ratings of the original are not in the store: ingest it with --ratings'
    WHEN run IS NULL THEN 'the release has no run of this name: partition/clique-components makes one'
    WHEN NOT coalesce(run.complete, false) THEN 'the run is not complete: run it again'
    WHEN outside > 0 THEN 'the run leaves records of the release out: its cliques are not the groups'
    WHEN parts > 0 THEN 'the cliques of the run are no whole components, and so not the groups: partition/clique-components makes them'
    WHEN NOT coalesce($b IN [1, 2], false) THEN 'b is neither 1 nor 2'
    WHEN NOT coalesce($l >= 1, false) THEN 'l is below 1'
END AS problem
OPTIONAL MATCH (c:Clique {dataset: x.released, run: $grouping})
WHERE problem IS NULL
WITH d, x, problem, count(c) AS cliques
// place 0: what each record of the original rates; place 1: what each group is released with
UNWIND [{place: 0, name: d.name}, {place: 1, name: x.released}] AS one
CALL (problem, x, one) {
    MATCH (r:Record {dataset: one.name})
    WHERE problem IS NULL
    OPTIONAL MATCH (r)-[:MEMBER_OF]->(c:Clique {dataset: x.released, run: $grouping})
    WITH one, r, CASE WHEN one.place = 0 THEN r.position ELSE c.id END AS holder
    MATCH (r)-[:RATED]->(i {sensitive: false})  // with a label a planner may look each record up at each issue
    RETURN holder, i.name AS name
  UNION ALL
    RETURN null AS holder, null AS name
}
WITH DISTINCT problem, cliques, one.place AS place, holder, name
WITH problem, cliques, place, holder, collect(name) AS names
// the null stays where there is no set, so that there is a row
UNWIND names + [null] AS a
UNWIND CASE WHEN $b = 1 THEN [''] WHEN a IS NULL THEN [null] ELSE names END AS b
WITH problem, cliques, place, a, b
WHERE a IS NULL OR $b = 1 OR a < b
WITH problem, cliques, a, b, sum(1 - place) AS raters, sum(place) AS groups
WHERE problem IS NOT NULL OR (a IS NOT NULL AND raters > 0 AND groups < $l)
OPTIONAL MATCH (i:Issue {dataset: $dataset, name: a, sensitive: false})
OPTIONAL MATCH (j:Issue {dataset: $dataset, name: b, sensitive: false})
WITH problem, raters, groups, i, j, j IS NULL OR i.position < j.position AS ascending
RETURN CASE WHEN ascending THEN i.name ELSE j.name END AS issue,
       CASE WHEN ascending THEN i.position ELSE j.position END AS position,
       CASE WHEN ascending THEN j.name ELSE i.name END AS other,
       CASE WHEN ascending THEN j.position ELSE i.position END AS other_position,
       CASE WHEN problem IS NULL THEN raters END AS raters,
       CASE WHEN problem IS NULL THEN groups END AS groups,
       problem
ORDER BY groups, position, other_position
