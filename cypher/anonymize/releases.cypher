// title: The releases of a dataset
// definition: what was made of the data to be published [SWLP10, §4.4]
//   No row means that the dataset has no release, or cannot be queried.
// params:
//   dataset: STRING -- name the original was ingested under
// columns:
//   run: STRING -- its name
//   released: STRING -- the dataset that it is, for any other query
//   complete: BOOLEAN -- false: its load broke off, or is under way
//   linked: BOOLEAN -- whether the store knows which record was released as which
//   groups: INTEGER? -- of a release by swap with its key, groups within which values were exchanged
//   records: INTEGER -- released records
//   withheld: INTEGER? -- records of the original that are not in it; null where it came without its key
//   distortion: FLOAT? -- how far the released records were moved; null where that is not known
// key: run
// order: run
// reads: Dataset, Record, Release, RELEASED_AS
// writes: nothing
// complexity: O(records * releases)
// example: ratingpriv query run anonymize/releases --param dataset=survey
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (x:Release {dataset: $dataset})
OPTIONAL MATCH (r:Record {dataset: $dataset})-[l:RELEASED_AS]->(s:Record {dataset: x.released})
WITH d, x, count(l) AS links, count(l.distortion) AS known, sum(l.distortion) AS distortion
RETURN x.run AS run, x.released AS released, x.complete AS complete, x.linked AS linked, x.groups AS groups,
       x.records AS records,
       CASE WHEN x.complete AND x.linked THEN d.records - links
            WHEN x.complete AND x.groups > 0 THEN d.records - x.records END AS withheld,
       CASE WHEN x.complete AND x.linked AND known = links AND x.ratings THEN coalesce(distortion, 0.0) END AS distortion
ORDER BY run
