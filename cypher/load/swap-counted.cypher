// title: Count the groups of a release by swap
// definition: Groups and members as they are in the store
// params:
//   dataset: STRING -- name of the original dataset
//   released: STRING -- name of the dataset that is the release
// columns:
//   groups: INTEGER -- groups
//   before: INTEGER -- records of the original in them
//   after: INTEGER -- records of the release in them
// order: none
// reads: Record, SwapGroup, SWAPPED_IN
// writes: nothing
// complexity: O(records)
// example: part of ratingpriv ingest
OPTIONAL MATCH (g:SwapGroup {dataset: $released})
OPTIONAL MATCH (g)<-[:SWAPPED_IN]-(r:Record)
RETURN count(DISTINCT g) AS groups, count(CASE WHEN r.dataset = $dataset THEN 1 END) AS before,
       count(CASE WHEN r.dataset = $released THEN 1 END) AS after
