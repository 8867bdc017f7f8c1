// title: Which server is this?
// definition: Product, version and edition, as the server says
// params: none
// columns:
//   name: STRING -- the component, Neo4j Kernel first
//   version: STRING -- its version
//   edition: STRING -- community or enterprise
// order: none (one row for each component that names a version)
// reads: nothing
// writes: nothing
// complexity: O(1)
// example: ratingpriv doctor --store neo4j
CALL dbms.components() YIELD name, versions, edition
UNWIND versions AS version
WITH name, version, edition
WHERE name = 'Neo4j Kernel'
RETURN name, version, edition
