// title: Does every record of a load have the sizes of its neighbourhood?
// definition: |N(t)| [SWLZ11, Def. 4.2] at each level of the dataset, as many as there are levels
// params:
//   key: STRING -- what the load's nodes have as their dataset property: the dataset's name, or a private key
//   levels: INTEGER -- how many levels the dataset has; 0: none, and no sizes
// columns:
//   records: INTEGER -- records with that number of sizes
//   total: INTEGER -- all their sizes added up
// order: none
// reads: Record
// writes: nothing
// complexity: O(records)
// example: part of ratingpriv ingest
OPTIONAL MATCH (r:Record {dataset: $key})
WITH CASE WHEN size(coalesce(r.sizes, [])) = $levels THEN r END AS r
RETURN count(r) AS records, coalesce(sum(reduce(total = 0, size IN coalesce(r.sizes, []) | total + size)), 0) AS total
