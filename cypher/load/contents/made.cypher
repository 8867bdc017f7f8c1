// title: The runs and releases of a dataset, to see whether one was changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
// columns:
//   kind: STRING -- run, clique, member, left-out, release or released
//   count: INTEGER -- how many there are
// order: kind
// reads: Run, Clique, MEMBER_OF, LEFT_OUT, Release, RELEASED_AS
// writes: nothing
// complexity: O(records)
// example: part of ratingpriv query run --write
OPTIONAL MATCH (n:Run {dataset: $key})
WITH count(n) AS runs
OPTIONAL MATCH (c:Clique {dataset: $key})
WITH runs, count(c) AS cliques
OPTIONAL MATCH (:Record {dataset: $key})-[m:MEMBER_OF]->(:Clique)
WITH runs, cliques, count(m) AS members
OPTIONAL MATCH (:Record {dataset: $key})-[w:LEFT_OUT]->(:Run)
WITH runs, cliques, members, count(w) AS left
OPTIONAL MATCH (x:Release {dataset: $key})
WITH runs, cliques, members, left, count(x) AS releases
OPTIONAL MATCH (:Record {dataset: $key})-[l:RELEASED_AS]->(:Record)
WITH runs, cliques, members, left, releases, count(l) AS links
UNWIND [['run', runs], ['clique', cliques], ['member', members], ['left-out', left], ['release', releases],
    ['released', links]] AS one
RETURN one[0] AS kind, one[1] AS count
ORDER BY kind
