// title: Every kind of value there and back
// definition: plain values
// params:
//   i: INTEGER -- i
//   f: FLOAT -- f
//   s: STRING -- s
//   b: BOOLEAN -- b
//   l: LIST<STRING> -- l
//   m: MAP -- m
// columns:
//   i: INTEGER -- i
//   f: FLOAT -- f
//   s: STRING -- s
//   b: BOOLEAN -- b
//   l: LIST<STRING> -- l
//   m: MAP -- m
//   nothing: ANY? -- null
// order: none
// reads: nothing
// writes: nothing
// complexity: O(1)
// example: for tests
RETURN $i AS i, $f AS f, $s AS s, $b AS b, $l AS l, $m AS m, null AS nothing
