//! Ids of messages, contexts and tasks. Clients may choose their own ids, so length and characters are
//! checked before an id becomes part of a key. Some ids give access to stored data. The registry must be able
//! to recognize that it created such an id.

use std::collections::BTreeSet;

use registry_app::App;

pub(super) const MAX_ID_LENGTH: usize = 128;

/// Prefix of our context ids. No UUID starts with it, and clients choose UUIDs.
const OWN_CONTEXT_PREFIX: &str = "ctx-";

const CONTEXT_BYTES: usize = 16;

pub(super) fn is_valid_id(id: &str) -> bool {
    id.chars().count() <= MAX_ID_LENGTH && !id.chars().any(char::is_control)
}

/// Whether a client's id cannot be found by trying: a UUID, or a word of at least 12 characters with letters and digits.
pub(super) fn is_hard_to_guess(id: &str) -> bool {
    let hex: Vec<u8> = id.bytes().filter(|byte| *byte != b'-').collect();
    let distinct: BTreeSet<&u8> = hex.iter().collect();
    let is_uuid = hex.len() == 32 && hex.iter().all(u8::is_ascii_hexdigit) && distinct.len() >= 6;
    let is_mixed = |word: &str| {
        let count = |of: fn(&u8) -> bool| word.bytes().filter(of).count();
        let (digits, letters) = (count(u8::is_ascii_digit), count(u8::is_ascii_alphabetic));
        digits + letters >= 12 && digits >= 4 && letters >= 3
    };
    let is_plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte));
    is_plain && (is_uuid || id.split(['-', '_', '.', ':']).any(is_mixed))
}

/// A random UUID (RFC 9562). Version 8, because its bits are free to choose.
pub(super) fn new_id(app: &App) -> String {
    let hex = app.random.hex(16);
    format!("{}-{}-8{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
}

/// Anyone who knows this id can list its tasks, so all of its 128 bits are random.
pub(super) fn new_context_id(app: &App) -> String {
    format!("{OWN_CONTEXT_PREFIX}{}", app.random.hex(CONTEXT_BYTES))
}

/// A client's id could be guessed, so it lists no tasks. A client that imitates our form opens only its own tasks.
pub(super) fn is_own_context_id(id: &str) -> bool {
    id.strip_prefix(OWN_CONTEXT_PREFIX).is_some_and(|hex| {
        hex.len() == 2 * CONTEXT_BYTES
            && hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    })
}

#[cfg(test)]
mod tests;
