// title: How sure is it that a person rated what a release says?
// definition: of the ratings of an issue that a group is released with, the share that its records really have, k'/|C|
//   where all members are released alike [CTWY10, §5.2]. It is the confidence of an adversary who knows the group, not
//   the person. The paper's bound 1/k does not hold. k is that of the run; whether a person rated, not the rating.
// params:
//   dataset: STRING -- name the original was ingested under, with its ratings
//   run: STRING of linked-release -- name of the release
//   grouping: STRING of release-run -- name of a run of the release by
//     partition/clique-components that places every record: its cliques are the groups
// columns:
//   groups: INTEGER? -- groups of the release
//   smallest: INTEGER? -- records in the smallest one
//   edges: INTEGER? -- ratings that are released, not sensitive
//   real: INTEGER? -- those that the record they are of has in the original; the others were added
//   mean: FLOAT? -- real / edges, the mean link confidence; null where nothing is released
//   above: FLOAT? -- share of the edges with more than 1/k
//   twice: FLOAT? -- share of the edges with more than 2/k
//   highest: FLOAT? -- the largest
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// facts:
//   groups counts anonymize/link-confidence-by-group
// order: none (one row)
// reads: Dataset, Record, RATED, Issue, Release, RELEASED_AS, Run, LEFT_OUT, Clique, MEMBER_OF
// writes: nothing
// complexity: O(ratings * ratings of a record)
// example: ratingpriv query run anonymize/link-confidence --param dataset=survey --param run=a --param grouping=groups
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
    WHEN NOT coalesce(x.linked, false) THEN 'the release was ingested without its key: which record is which is not known'
    WHEN NOT coalesce(x.ratings, false) THEN 'the ratings of the original are not in the store: ingest it with --ratings'
    WHEN run IS NULL THEN 'the release has no run of this name: partition/clique-components makes one'
    WHEN NOT coalesce(run.complete, false) THEN 'the run is not complete: run it again'
    WHEN outside > 0 THEN 'the run leaves records of the release out: its cliques are not the groups'
    WHEN parts > 0 THEN 'the cliques of the run are no whole components, and so not the groups: partition/clique-components makes them'
END AS problem
OPTIONAL MATCH (c:Clique {dataset: x.released, run: $grouping})
WHERE problem IS NULL
OPTIONAL MATCH (c)<-[:MEMBER_OF]-(s:Record {dataset: x.released})
OPTIONAL MATCH (r:Record {dataset: $dataset})-[:RELEASED_AS]->(s)
OPTIONAL MATCH (r)-[:RATED]->(i:Issue {sensitive: false})
WITH run, problem, c, s, collect(i.name) AS before
OPTIONAL MATCH (s)-[:RATED]->(i:Issue {sensitive: false})
WITH run.k AS k, problem, c, i.name AS name, CASE WHEN i.name IN before THEN 1 ELSE 0 END AS kept
WITH k, problem, c, name, count(name) AS ratings, sum(kept) AS kept
WITH problem, count(DISTINCT c.id) AS groups, min(c.size) AS smallest, sum(ratings) AS edges, sum(kept) AS real, count(name) AS issues,
     sum(CASE WHEN kept * k > ratings THEN ratings ELSE 0 END) AS once,
     sum(CASE WHEN kept * k > 2 * ratings THEN ratings ELSE 0 END) AS twice,
     max(CASE WHEN ratings > 0 THEN 1.0 * kept / ratings END) AS highest
RETURN CASE WHEN problem IS NULL THEN groups END AS groups,
       smallest,
       CASE WHEN problem IS NULL THEN edges END AS edges,
       CASE WHEN problem IS NULL THEN real END AS real,
       CASE WHEN edges > 0 THEN 1.0 * real / edges END AS mean,
       CASE WHEN edges > 0 THEN 1.0 * once / edges END AS above,
       CASE WHEN edges > 0 THEN 1.0 * twice / edges END AS twice,
       highest,
       problem
ORDER BY problem
