"""Classes of records that agree on quasi-identifiers: how they are formed, and each modified by itself."""
