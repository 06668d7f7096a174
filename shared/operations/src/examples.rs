//! The values that documents publish as examples. A value that everybody knows is no secret.

use crate::DESCRIPTIONS;
use registry_model::error::Problem;

/// Whether the example of an operation contains this value.
pub fn contain(value: &str) -> bool {
    let quoted = format!("\"{value}\"");
    DESCRIPTIONS.iter().any(|entry| entry.example.contains(&quoted))
}

/// 422 if the secret in `field` is an example.
pub(crate) fn refuse(field: &'static str, secret: Option<&str>) -> Result<(), Problem> {
    if !secret.is_some_and(|secret| contain(secret.trim())) {
        return Ok(());
    }
    let detail = format!(
        "`{field}` is the example of the documents, which everybody knows. Make a new random value, such as a UUID of \
         version 4."
    );
    Err(Problem::invalid(field, "published_example", detail))
}
