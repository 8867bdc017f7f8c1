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
RETURN properties(l) AS load
ORDER BY l.name, l.token
