// title: Loads under way or broken off
// definition: The Load nodes as they are
// params: none
// columns:
//   load: MAP -- all properties of the Load node
// order: load.name, load.token
// reads: Load
// writes: nothing
// complexity: O(loads)
// example: ratingpriv query run load/loads
MATCH (l:Load)
WITH properties(l) AS load
WHERE load.token IS NOT NULL  // a server may give a node that was deleted meanwhile, without its properties
RETURN load
ORDER BY load.name, load.token
