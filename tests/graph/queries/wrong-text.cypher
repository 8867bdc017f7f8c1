// title: Is no Cypher
// definition: wrong on purpose
// params: none
// columns:
//   one: INTEGER -- never comes
// order: none
// reads: nothing
// writes: nothing
// complexity: O(1)
// example: for tests
RETRUN 1 AS one
