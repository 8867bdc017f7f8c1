// title: A group before and after its values were exchanged
// definition: a group of a release by swap: its people, a clique [SWLP10, §4.3], and the records that were put together
//   from their values. Which record has whose value is not in the store, and none is tied to a person. Lines among the
//   records are the pairs that were loaded. At most 24 records each, so that Browser draws at most 49 nodes. No row means
//   no such group, no complete release by swap with its key, or that the dataset cannot be queried.
// params:
//   dataset: STRING -- name the original was ingested under
//   run: STRING of swapped-release -- name of the release
//   group: INTEGER >= 0 -- number of the group (anonymize/swapped lists them)
// columns:
//   g: NODE -- the group
//   m: RELATIONSHIP -- that the record is in it
//   r: NODE -- a record of the original, or one of the release
//   pairs: LIST<RELATIONSHIP> -- its pairs with later records of the same side of the group
//   side: STRING -- before: r is of the original; after: of the release
// key: side, r
// order: side (before, after), r (by position)
// reads: Dataset, Record, PROXIMATE-ANY, Release, SwapGroup, SWAPPED_IN
// writes: nothing
// complexity: O(records of the group and their pairs)
// example: ratingpriv query run browse/swapped --param dataset=survey --param run=s --param group=0
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (x:Release {dataset: $dataset, run: $run, complete: true})
CALL (x) {
    MATCH (g:SwapGroup {id: $group, dataset: x.released})
    RETURN g
}
UNWIND [$dataset, x.released] AS name
MATCH (g)<-[m:SWAPPED_IN]-(r:Record {dataset: name})
WITH g, name, m, r
ORDER BY r.position
WITH g, name, collect(m) AS memberships, collect(r) AS members
WITH g, name, memberships[0..24] AS memberships, members[0..24] AS members
WITH g, name, memberships, members, [one IN members | one.position] AS places
UNWIND range(0, size(members) - 1) AS place
WITH g, name, places, memberships[place] AS m, members[place] AS r
OPTIONAL MATCH (r)-[p:PROXIMATE]->(later:Record {dataset: name})
WHERE later.position IN places
WITH g, name, m, r, p
ORDER BY p.distance, endNode(p).position
WITH g, name, m, r, collect(p) AS pairs
RETURN g, m, r, pairs, CASE WHEN name = $dataset THEN 'before' ELSE 'after' END AS side
ORDER BY side DESC, r.position
