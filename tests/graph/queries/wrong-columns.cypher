// title: Declares other columns than it returns
// definition: wrong on purpose
// params: none
// columns:
//   one: INTEGER -- not what comes
// order: none
// reads: nothing
// writes: nothing
// complexity: O(1)
// example: for tests
RETURN 1 AS two
