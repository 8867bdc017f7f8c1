// title: The classes of quasi-identifiers: how many records share each combination of values?
// definition: records that are equal on every quasi-identifier with the rule equal; |N(t)| [SWLZ11, Def. 4.2] is at most
//   the size of the class of t, whatever epsilon is, unless a null matches anything (null rule wildcard): then it may
//   reach into classes that agree where both are known. Columns that may differ (within) make no classes.
//   The smallest first. No row at all means no such dataset, an incomplete one, or none of these columns.
// params:
//   dataset: STRING -- name the dataset was ingested under
// columns:
//   class: INTEGER -- number of the class, by its first record
//   size: INTEGER -- records in it
//   hamming_groups: INTEGER -- how many sets of rated issues they have between them
//   values: STRING -- the values that they share; ? for a null
//   first_record: ANY -- id of its first record
// key: class
// order: size, class
// reads: Dataset, Record, HammingGroup, IN_GROUP
// writes: nothing
// complexity: O(records)
// example: ratingpriv query run quasi/class-sizes --param dataset=survey
MATCH (d:Dataset {name: $dataset})
WHERE d.complete
MATCH (r:Record {dataset: $dataset})-[:IN_GROUP]->(g:HammingGroup {dataset: $dataset})
WHERE g.quasiClass IS NOT NULL
WITH g, r ORDER BY r.position
WITH g.quasiClass AS class, g.quasiValues AS values, count(DISTINCT g.id) AS hamming_groups, collect(r.id) AS members
RETURN class, size(members) AS size, hamming_groups, values, members[0] AS first_record
ORDER BY size, class
