// title: Changing a run: could these records be one group at all?
// definition: a change of ratings can make records proximate [SWLP10, §4.4] only where every two of them meet the rules
//   of the quasi-identifiers, which are not moved
// params:
//   dataset: STRING -- name the dataset was ingested under
//   positions: LIST<INTEGER> -- the records' places in the data
// columns:
//   agree: BOOLEAN -- whether every two of them do
// order: none (one row)
// reads: Dataset, Record
// writes: nothing
// complexity: O(squared positions * quasi-identifiers)
// example: ratingpriv query run partition/change/agree --param dataset=survey --param positions='[4, 5]'
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (r:Record {dataset: $dataset})
WHERE r.position IN $positions
WITH d.nulls = 'wildcard' AS wild,
     collect({code: coalesce(r.quasiCode, []), least: r.quasiLeast, most: r.quasiMost}) AS members
WITH all(x IN members WHERE all(y IN members WHERE all(q IN range(0, size(x.code) - 1) WHERE
    CASE WHEN x.code[q] < 0 OR y.code[q] < 0 THEN wild OR x.code[q] = y.code[q]
    ELSE x.least[q] <= y.code[q] AND y.code[q] <= x.most[q] END))) AS agree
RETURN agree
ORDER BY agree
