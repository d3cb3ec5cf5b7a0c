//! Lines of any byte source, in constant memory.
