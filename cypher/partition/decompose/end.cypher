// title: Greedy decomposition, last statement: count, and say that the run is complete
// definition: no record waits for a turn, every record is in one clique or in none, and every clique has as many
//   members as it says [SWLP10, §4.3]; otherwise the run stays what it is, not complete
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of run -- name of the run
//   token: STRING -- what partition/decompose/begin was given
// columns:
//   records: INTEGER -- records
//   placed: INTEGER -- those in a clique
//   left: INTEGER -- those that no clique could take
//   cliques: INTEGER -- cliques
// order: none (one row; none where the run is not at its end)
// reads: Dataset, Record, Run, LEFT_OUT, Clique, MEMBER_OF
// writes: Run.complete, Run.statements
// complexity: O(records)
// example: ratingpriv query run partition/decompose/end --param dataset=survey --param run=a --param token=x
MATCH (run:Run {dataset: $dataset, run: $run, token: $token, complete: false})
SET run.statements = run.statements + 1
WITH run
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.records = run.records
OPTIONAL MATCH (run)<-[w:LEFT_OUT]-(:Record {dataset: $dataset})
WITH run, sum(CASE WHEN w.state = 'left' THEN 1 ELSE 0 END) AS left, count(w) AS outside
OPTIONAL MATCH (c:Clique {dataset: $dataset, run: $run})
WITH run, left, outside, count(c) AS cliques, coalesce(sum(c.size), 0) AS said
OPTIONAL MATCH (r:Record {dataset: $dataset})-[m:MEMBER_OF]->(:Clique {dataset: $dataset, run: $run})
WITH run, left, outside, cliques, said, count(m) AS placed, count(DISTINCT r) AS members
WHERE left = outside AND said = placed AND members = placed AND placed + left = run.records
SET run.complete = true
RETURN run.records AS records, placed, left, cliques
ORDER BY records
