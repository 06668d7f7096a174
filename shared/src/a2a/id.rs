//! Ids of messages, contexts and tasks. Clients may choose their own, so the length and the characters are limited
//! before an id becomes part of a key.

use crate::app::App;

/// The longest id, in characters.
pub(super) const MAX_ID_LENGTH: usize = 128;

/// Whether an id can be stored.
#[must_use]
pub fn is_valid_id(id: &str) -> bool {
    id.chars().count() <= MAX_ID_LENGTH && !id.chars().any(char::is_control)
}

/// A random UUID (RFC 9562). Version 8, because its bits are free to choose.
#[must_use]
pub fn new_id(app: &App) -> String {
    let hex = app.random.hex(16);
    format!("{}-{}-8{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_ids_and_control_characters_are_invalid() {
        assert!(is_valid_id("a b/ü") && is_valid_id(&"ü".repeat(MAX_ID_LENGTH)));
        assert!(!is_valid_id(&"x".repeat(MAX_ID_LENGTH + 1)) && !is_valid_id("a\nb"));
    }
}
