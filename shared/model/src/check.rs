//! The outcome of one check beside the handshake (design §5 Checks). What is checked, and how, stands in `probe::checks`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One check and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Which check: `https`, `card_valid`, `interface_domain`, `text_sane`, `no_injection`, `endpoint_unique` or
    /// `tools_unchanged`.
    pub id: String,
    /// It holds, or there is nothing it applies to.
    pub ok: bool,
    /// While it does not hold, the listing is not shown as active.
    pub blocking: bool,
    /// What was found, for the owner.
    pub detail: String,
}
