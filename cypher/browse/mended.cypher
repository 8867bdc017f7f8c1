// title: A merge or a loan, and what it costs by item
// definition: a group that was merged (Case 2) or borrowed (Case 3) [SWLP10, §4.4]: its records with the pairs that they
//   have within the epsilon of the run, which are the cliques before; the group around them, which is the clique after;
//   and every item that has to change for it, with the ratings that the records have there. cost is the least sum
//   |x - x'| of the item [SWLP10, Def. 5-6], as the candidates count it: that of all items is their distortion.
//   At most 24 records and 12 items, the dearest, so that Browser draws at most 37 nodes. No row means that the run has
//   no such group, or that the dataset cannot answer; no i, that the ratings are not in the store or nothing is moved.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   run: STRING of complete-run -- name of the run
//   clique: INTEGER = -1 -- id of the group (partition/cliques lists them); -1 for the first of these
// columns:
//   c: NODE -- the group
//   m: RELATIONSHIP -- that the record is in it
//   r: NODE -- a record
//   pairs: LIST<RELATIONSHIP> -- its pairs with later records of the group
//   i: NODE? -- an item that has to change
//   t: RELATIONSHIP? -- the rating that the record has there
//   cost: FLOAT? -- what the item costs, of all records of the group
// key: r, i
// order: r (by position), i (by cost, the dearest first, then position)
// reads: Dataset, Record, RATED, Issue, PROXIMATE, Run, Clique, MEMBER_OF
// writes: nothing
// complexity: O(records of the group * items and their pairs)
// example: ratingpriv query run browse/mended --param dataset=survey --param run=a --param clique=-1
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all'
MATCH (run:Run {dataset: $dataset, run: $run, complete: true})
MATCH (c:Clique {dataset: $dataset, run: $run})
WHERE c.made IN ['merged', 'borrowed'] AND ($clique = -1 OR c.id = $clique)
WITH run, c
ORDER BY c.id
LIMIT 1
MATCH (r:Record {dataset: $dataset})-[m:MEMBER_OF]->(c)
WITH run, c, m, r
ORDER BY r.position
WITH run, c, collect(m) AS memberships, collect(r) AS members
CALL (run, members) {  // by item: the ratings of all, those that are missing as on the scale where they separate
    MATCH (i:Issue {dataset: $dataset, sensitive: false})
    WHERE run.ratings
    UNWIND members AS r
    OPTIONAL MATCH (r)-[t:RATED]->(i)
    WITH run, i, CASE WHEN run.grid THEN round(t.rating * run.unit) ELSE t.rating END AS x
    WITH run, i, x, CASE WHEN run.separates THEN coalesce(x, run.fill) ELSE x END AS y
    ORDER BY y
    WITH run, i, collect(y) AS ys, count(x) AS rated, sum(abs(coalesce(x, 0.0))) AS erased
    WITH run, i, ys, rated, erased, reduce(moved = (size(ys) - rated) * abs(run.fill), apart IN
        [n IN range(0, size(ys) / 2 - 1) | ys[-1 - n] - ys[n]] | moved + CASE WHEN apart > run.width THEN apart - run.width ELSE 0.0 END) AS moved
    WITH i, CASE WHEN size(ys) > rated AND erased < moved THEN erased ELSE moved END / run.unit AS cost
    WHERE cost > 0
    WITH i, cost
    ORDER BY cost DESC, i.position
    WITH collect({item: i.position, cost: cost}) AS items
    RETURN items[..12] AS items
}
WITH run, c, items, memberships[..24] AS memberships, members[..24] AS members
WITH run, c, items, memberships, members, [one IN members | one.position] AS places
UNWIND range(0, size(members) - 1) AS place
WITH run, c, items, places, memberships[place] AS m, members[place] AS r
OPTIONAL MATCH (r)-[p:PROXIMATE]->(later:Record {dataset: $dataset})
WHERE p.distance <= run.epsilon AND later.position IN places
WITH c, items, m, r, p
ORDER BY p.distance, endNode(p).position
WITH c, items, m, r, collect(p) AS pairs
UNWIND CASE WHEN size(items) = 0 THEN [null] ELSE items END AS row
OPTIONAL MATCH (i:Issue {position: row.item, dataset: $dataset})
OPTIONAL MATCH (r)-[t:RATED]->(i)
RETURN c, m, r, pairs, i, t, row.cost AS cost
ORDER BY r.position, cost DESC, i.position
