//! AccelRedirect.

use super::signature::BadSignature;

/// Registers the classes; module start only.
pub fn register() -> Result<(), BadSignature> {
    Ok(())
}
