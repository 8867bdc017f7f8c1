// title: The records of a dataset, to see whether one was changed
// definition: What a statement of the user's own must leave as it is, as the load brought it
// params:
//   key: STRING -- the dataset's name
// columns:
//   position: ANY? -- its place in the data
//   properties: MAP -- all that it says
//   released: BOOLEAN -- whether it is a record of a release
//   memberships: INTEGER -- Hamming groups that it says it is in, and is in
//   groups: INTEGER -- how many relationships of this type it has, in whatever direction
//   ratings: INTEGER -- the same of its ratings
//   pairs: INTEGER -- of its pairs
//   made: INTEGER -- of what runs and releases made of it
// order: position
// reads: Record, HammingGroup, IN_GROUP, RATED, PROXIMATE-ANY, MEMBER_OF, LEFT_OUT, RELEASED_AS, SWAPPED_IN
// writes: nothing
// complexity: O(records + ratings + pairs)
// example: part of ratingpriv query run --write
MATCH (r:Record {dataset: $key})
RETURN r.position AS position, properties(r) AS properties, r:ReleasedRecord AS released,
       COUNT { MATCH (r)-[:IN_GROUP]->(g:HammingGroup {dataset: $key}) WHERE g.id = r.hammingGroup } AS memberships,
       COUNT { MATCH (r)-[:IN_GROUP]-() } AS groups,
       COUNT { MATCH (r)-[:RATED]-() } AS ratings,
       COUNT { MATCH (r)-[:PROXIMATE]-() } AS pairs,
       COUNT { MATCH (r)-[:MEMBER_OF|LEFT_OUT|RELEASED_AS|SWAPPED_IN]-() } AS made
ORDER BY position
