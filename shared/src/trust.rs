//! Trust: the registry's own keys, and what it signs with them. Only this room sees a private key.

pub mod card_signature;
pub mod keys;
pub mod log_key;
