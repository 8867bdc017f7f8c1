// title: How many nodes have each of some labels, to see whether a statement made or removed one
// definition: The nodes of the whole store, whichever dataset they belong to, or none
// params:
//   labels: LIST<STRING> -- names of labels
// columns:
//   label: STRING -- one of them that there is
//   nodes: INTEGER -- how many have it
// order: label
// reads: graph
// writes: nothing
// complexity: O(nodes of the store)
// example: part of ratingpriv query run --write
MATCH (n)
UNWIND labels(n) AS label
WITH label, n WHERE label IN $labels
RETURN label, count(n) AS nodes
ORDER BY label
