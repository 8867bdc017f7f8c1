// title: Which of these records does a dataset have?
// definition: The ids that are there, each with whether all its pairs are there too
// params:
//   dataset: STRING -- name the dataset was ingested under
//   values: LIST<ANY> -- ids
// columns:
//   value: ANY -- an id that is there
//   pairs: BOOLEAN -- whether its pairs were loaded: all records' were, or it is at risk
// order: value
// reads: Dataset, Record
// writes: nothing
// complexity: O(ids)
// example: ratingpriv query run load/named-records --param dataset=survey --param values='["t1"]'
MATCH (d:Dataset {name: $dataset})
UNWIND $values AS value
MATCH (r:Record {id: value, dataset: $dataset})
RETURN r.id AS value, d.edges = 'all' OR coalesce(r.atRisk, false) AS pairs
ORDER BY r.position
