// title: Which components do the greedy cliques of a run fill, and which not?
// definition: a component is k-decomposable by it where none of its records is outside a clique [SWLP10, §4.4, Case 1]. A component
//   that is not may still have a k-decomposition, which a greedy does not always find.
//   No row at all means that there is no such run, that it was broken off, or that the dataset cannot be queried.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of complete-run -- name of the run
// columns:
//   component: INTEGER -- position of the first record of the component
//   size: INTEGER -- records in it
//   cliques: INTEGER -- cliques in it
//   left_out: INTEGER -- records that no clique could take
//   decomposable: BOOLEAN -- whether greedy cliques hold all of them; merged and borrowed ones do not count
//   hamming_group: INTEGER? -- the Hamming group of all of them; null where they are of several
// key: component
// facts:
//   size counts partition/members by component
//   left_out counts partition/members without clique by component
// order: decomposable (those that are not first), component
// reads: Dataset, Record, Run, LEFT_OUT, Clique, MEMBER_OF
// writes: nothing
// complexity: O(records)
// example: ratingpriv query run partition/decomposable-components --param dataset=survey --param run=a
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (run:Run {dataset: $dataset, run: $run, complete: true})
MATCH (r:Record {dataset: $dataset})
OPTIONAL MATCH (r)-[:MEMBER_OF]->(c:Clique {dataset: $dataset, run: $run})
OPTIONAL MATCH (r)-[w:LEFT_OUT]->(run)
WITH coalesce(c.component, w.component) AS component, count(r) AS size, count(DISTINCT c.id) AS cliques,
     count(CASE WHEN c IS NULL THEN 1 END) AS left_out, count(CASE WHEN NOT c.made IN ['greedy', 'whole'] THEN 1 END) AS changed,
     min(r.hammingGroup) AS low, max(r.hammingGroup) AS high
RETURN component, size, cliques, left_out, left_out = 0 AND changed = 0 AS decomposable,
       CASE WHEN low = high THEN low END AS hamming_group
ORDER BY decomposable, component
