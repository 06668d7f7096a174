//! A report of a caller about a listing. Only the operator reads it.

use serde::{Deserialize, Serialize};

use super::{ListingId, Moment};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// `rep_` and 24 hexadecimal digits.
    pub id: String,
    pub listing_id: ListingId,
    pub reason: String,
    /// How the operator can reach the reporter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    pub at: Moment,
}
