//! Records appended in batches, safe among processes, with group commit.
