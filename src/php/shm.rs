//! SharedCounter and SharedSegment.

use super::signature::BadSignature;
use super::signature::Method;

/// The functions of the namespace.
pub fn functions() -> Vec<Method> {
    Vec::new()
}

/// Registers the classes; module start only.
pub fn register() -> Result<(), BadSignature> {
    Ok(())
}
