// title: Did each group keep its values when they were exchanged?
// definition: for each group of a release by swap and each issue, how many gave each rating, before and after; and how far
//   apart the ratings of a group are, which is at most the epsilon of its cliques [SWLP10, §4.3]
// params:
//   dataset: STRING -- name the original was ingested under, with its ratings
//   run: STRING of swapped-release -- name of the release
// columns:
//   groups: INTEGER? -- groups
//   smallest: INTEGER? -- records in the smallest one
//   tables: INTEGER? -- pairs of a group and an issue that a record of it rates
//   changed: INTEGER? -- those in which not as many gave each rating after as before; 0 is right
//   farthest: FLOAT? -- the largest difference between two ratings of one group, sensitive issues aside
//   problem: STRING? -- null, or why the dataset cannot be queried; then no other column has a meaning
// order: none (one row)
// reads: Dataset, Record, RATED, Release, SwapGroup, SWAPPED_IN
// writes: nothing
// complexity: O(ratings)
// example: ratingpriv query run anonymize/swap-check --param dataset=survey --param run=s
OPTIONAL MATCH (d:Dataset {name: $dataset})
OPTIONAL MATCH (x:Release {dataset: $dataset, run: $run})
WITH x, CASE
    WHEN d IS NULL THEN 'no dataset has this name'
    WHEN NOT coalesce(d.complete, false) THEN 'the dataset is not completely loaded: ingest it again'
    WHEN x IS NULL THEN 'the dataset has no release of this name'
    WHEN NOT coalesce(x.complete, false) THEN 'the release is not completely loaded: ingest it again'
    WHEN NOT coalesce(x.groups > 0, false) THEN 'the release has no groups: it is none by swap, or was ingested without its key'
    WHEN NOT coalesce(x.ratings, false) THEN 'the ratings of the original are not in the store: ingest it with --ratings'
END AS problem
OPTIONAL MATCH (r:Record {dataset: $dataset})-[:SWAPPED_IN]->(g:SwapGroup)
WHERE g.dataset = x.released AND problem IS NULL
WITH DISTINCT problem, g
OPTIONAL MATCH (g)<-[:SWAPPED_IN]-(near:Record)-[t:RATED]->(i)
WITH problem, g, i.name AS issue, i.sensitive AS sensitive, t.rating AS rating,
     sum(CASE WHEN near.dataset = $dataset THEN 1 ELSE -1 END) AS more
WITH problem, g, issue, sensitive, max(abs(more)) AS more, max(rating) - min(rating) AS apart
WITH problem, count(DISTINCT g.id) AS groups, min(g.size) AS smallest, count(issue) AS tables,
     count(CASE WHEN issue IS NOT NULL AND more > 0 THEN 1 END) AS changed,
     max(CASE WHEN NOT sensitive THEN apart END) AS farthest
RETURN CASE WHEN problem IS NULL THEN groups END AS groups, smallest, CASE WHEN problem IS NULL THEN tables END AS tables,
       CASE WHEN problem IS NULL THEN changed END AS changed, farthest, problem
ORDER BY problem
