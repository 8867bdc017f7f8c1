// title: Pairs
// definition: from smaller to larger
// params:
//   dataset: STRING -- the dataset's name
//   epsilon: FLOAT -- distance
// columns:
//   left: INTEGER -- position
//   right: INTEGER -- position
//   distance: FLOAT -- of the pair
// order: left, right
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(pairs)
// example: for tests
MATCH (a:Record {dataset: $dataset})-[p:PROXIMATE]->(b:Record)
WHERE p.distance <= $epsilon
RETURN a.position AS left, b.position AS right, p.distance AS distance
ORDER BY left, right
