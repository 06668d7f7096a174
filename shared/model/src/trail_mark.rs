//! A mark that somebody left at a listing (contract "Stigmergy traces and marks"). What it says is a stranger's word, and
//! who left it is only claimed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Decay, ListingId, Moment, Random};

/// One mark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrailMark {
    /// `tr_` and 24 hexadecimal digits.
    pub id: String,
    /// What it is.
    pub kind: MarkKind,
    /// Where it was left.
    pub listing_id: ListingId,
    /// The listing that was used together with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing_b: Option<ListingId>,
    /// Who left it, as they say.
    pub from: String,
    /// What they say; may be empty.
    pub body: String,
    /// How strong it was when it was left, 1 to 50.
    pub intensity: u8,
    /// When it was left.
    #[schemars(with = "String")]
    pub at: Moment,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
}

impl TrailMark {
    /// A new id.
    #[must_use]
    pub fn new_id(random: &Random) -> String {
        format!("tr_{}", random.hex(12))
    }

    /// What is left of its intensity; nothing once it has decayed.
    #[must_use]
    pub fn strength(&self, now: Moment) -> f64 {
        Decay::MARK.decayed(self.intensity.into(), self.at, now)
    }

    /// When it will have decayed.
    #[must_use]
    pub fn gone_at(&self) -> Moment {
        Decay::MARK.gone_at(self.intensity.into(), self.at)
    }
}

/// What a mark is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// It was met or used.
    #[default]
    Mark,
    /// It is good.
    Endorse,
    /// Somebody wants to use it.
    Intent,
    /// Something to know about it.
    Note,
    /// It fails, or does harm.
    Danger,
}
