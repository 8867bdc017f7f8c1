// title: The (k-1)-core, repeated statement: peel off every record with fewer than k - 1 neighbours left
// definition: peeling leaves the (k-1)-core of the proximity graph, whatever the order [SWLP10, Thm 1]
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   run: STRING -- a name for this run, chosen by the caller; the marks on the records carry it
// columns:
//   changed: INTEGER -- records peeled off by this step; 0 means done
// order: none (one row)
// reads: Record, PROXIMATE
// writes: Record.inCore
// complexity: O(records + pairs) a step, at most as many steps as records, in practice a few; sensible up to some 1
//   million pairs
// example: ratingpriv query run partition/core/step --param dataset=survey --param k=5 --param epsilon=1 --param run=a
MATCH (r:Record {dataset: $dataset, coreRun: $run, inCore: true})
WITH r, COUNT {
    MATCH (r)-[p:PROXIMATE]-(near:Record {coreRun: $run, inCore: true})
    WHERE p.distance <= $epsilon
} AS degree
WHERE degree < $k - 1
SET r.inCore = false
WITH count(r) AS changed
RETURN changed
ORDER BY changed
