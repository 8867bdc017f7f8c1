// title: What is known about a dataset, and what the store really holds of it
// definition: the data model [SWLZ11, §4]; epsilonMax is the largest epsilon that can be asked
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   dataset: STRING -- its name
//   complete: BOOLEAN -- whether it was loaded to the end; false: no result about it can be trusted
//   edges: STRING -- all, or at-risk where only the pairs of records at risk were loaded
//   epsilon_max: FLOAT -- pairs up to this distance were loaded
//   nulls: STRING -- the null rule of the distances: strict or wildcard
//   records: INTEGER -- records found in the store
//   records_sent: INTEGER -- records the data has
//   issues: INTEGER -- issues found, sensitive ones left out
//   sensitive: LIST<STRING> -- names of the sensitive issues
//   hamming_groups: INTEGER -- Hamming groups found
//   pairs: INTEGER -- proximate pairs found
//   scale_min: FLOAT? -- smallest rating of the scale
//   scale_max: FLOAT? -- largest rating of the scale
//   quasi: STRING? -- the quasi-identifiers and their rules, which proximate records meet whatever epsilon is; null: none
// facts:
//   records counts audit/record-ids
//   hamming_groups counts audit/hamming-groups
// order: none (one row, or none if there is no such dataset)
// reads: Dataset, Record, Issue, HammingGroup, PROXIMATE-ANY
// writes: nothing
// complexity: O(records + pairs): every pair is counted once; sensible up to some 10 million pairs
// example: ratingpriv query run audit/dataset-summary --param dataset=survey
MATCH (d:Dataset {name: $dataset})
OPTIONAL MATCH (s:Issue {dataset: $dataset, sensitive: true})
WITH d, s ORDER BY s.position
WITH d, collect(s.name) AS sensitive
RETURN d.name AS dataset,
       coalesce(d.complete, false) AS complete,
       d.edges AS edges,
       d.epsilonMax AS epsilon_max,
       d.nulls AS nulls,
       COUNT { MATCH (r:Record {dataset: $dataset}) } AS records,
       d.records AS records_sent,
       COUNT { MATCH (i:Issue {dataset: $dataset}) WHERE NOT i.sensitive } AS issues,
       sensitive,
       COUNT { MATCH (g:HammingGroup {dataset: $dataset}) } AS hamming_groups,
       COUNT { MATCH (r:Record {dataset: $dataset})-[p:PROXIMATE]->(:Record) } AS pairs,
       d.scaleMin AS scale_min,
       d.scaleMax AS scale_max,
       d.quasi AS quasi
ORDER BY dataset
