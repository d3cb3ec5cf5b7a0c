//! The binding: arguments as PHP core takes them, one call into the core, the result back.
