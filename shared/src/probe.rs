//! Probing: asking a stranger's server a real question, and judging what comes back.
//! Evidence is kept with its reason, method and time; nothing here writes to the table but the sweep.

pub mod card;
pub mod checks;
pub mod examine;
pub mod fetch;
pub mod handshake;
pub mod judge;
pub mod reasons;
pub mod score;
pub mod server_json;
pub mod stats;
pub mod sweep;
pub mod unasked;
pub mod verdict;
