//! System V segments with a lock that survives its holder: counters and raw bytes.
