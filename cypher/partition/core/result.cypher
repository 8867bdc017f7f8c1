// title: The (k-1)-core, last statement: which records stay, which have to go
// definition: deleting the records outside the (k-1)-core is the smallest deletion that makes the rest
//   (k,epsilon)-anonymous [SWLP10, Thm 1]
//   No row at all means that the run is not finished or was disturbed, or that the dataset cannot answer.
// params:
//   dataset: STRING -- name the dataset was ingested under
//   k: INTEGER >= 1 -- the smallest neighbourhood that is acceptable
//   epsilon: FLOAT >= 0 -- how far apart two ratings of proximate records may be; at most the dataset's epsilonMax
//   run: STRING -- a name for this run, chosen by the caller; the marks on the records carry it
// columns:
//   record: ANY -- id of the record, as in the data
//   position: INTEGER -- its 0-based place in the data
//   in_core: BOOLEAN -- whether it stays
// key: position
// order: position
// reads: Dataset, Record, PROXIMATE
// writes: nothing
// complexity: O(records + pairs): it checks that the steps have come to an end
// example: ratingpriv query run partition/core/result --param dataset=survey --param k=5 --param epsilon=1 --param run=a
MATCH (d:Dataset {name: $dataset})
WHERE d.complete AND d.edges = 'all' AND $epsilon <= d.epsilonMax
OPTIONAL MATCH (other:Record {dataset: $dataset})
WITH d, count(CASE WHEN coalesce(other.coreRun <> $run, true) THEN other END) AS unmarked
OPTIONAL MATCH (r:Record {dataset: $dataset, inCore: true})
WITH d, unmarked, r, CASE WHEN r IS NOT NULL THEN COUNT {
    MATCH (r)-[p:PROXIMATE]-(near:Record {inCore: true})
    WHERE p.distance <= $epsilon
} END AS degree
WITH d, unmarked, sum(CASE WHEN degree < $k - 1 THEN 1 ELSE 0 END) AS open
WHERE unmarked = 0 AND open = 0
MATCH (r:Record {dataset: $dataset})
RETURN r.id AS record, r.position AS position, r.inCore AS in_core
ORDER BY position
