//! The position of a decision in the evidence log, with the URLs that prove the decision.

use crate::prelude::*;
use registry_model::{AttestationId, LastLeaf, LogEvent, LogTile, TILE_WIDTH};

/// Where a decision is in the evidence log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LogPlace {
    /// What was decided.
    pub event: LogEvent,
    /// When it was decided.
    pub at: Moment,
    /// Whether it is not in the log yet. A decision is added within minutes, an attestation when its hour has ended.
    pub pending: bool,
    /// The index of the decision in the tree of the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaf_index: Option<u64>,
    /// The URL of the bundle of log entries that ends with the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry_url: Option<String>,
    /// The URL of the proof that the decision is in the log.
    pub proof_url: String,
}

impl LogPlace {
    pub fn of_last(settings: &Settings, id: &ListingId, leaf: &LastLeaf) -> Self {
        let proof = match leaf.index {
            Some(index) => format!("/log/proof?index={index}"),
            None => format!("/log/proof?listing_id={id}&at={}", leaf.at),
        };
        Self::new(settings, leaf.event, leaf.at, leaf.index, &proof)
    }

    pub fn of_attestation(
        settings: &Settings,
        subject: &ListingId,
        at: Moment,
        id: &AttestationId,
        index: Option<u64>,
    ) -> Self {
        let proof = format!("/log/proof?listing_id={subject}&at={at}&attestation_id={id}");
        Self::new(settings, LogEvent::Attestations, at, index, &proof)
    }

    fn new(settings: &Settings, event: LogEvent, at: Moment, index: Option<u64>, proof: &str) -> Self {
        let (pending, proof_url) = (index.is_none(), settings.url(proof));
        let entry_url = index.map(|index| entry_url(settings, index));
        Self { event, at, pending, leaf_index: index, entry_url, proof_url }
    }
}

/// The bundle of entries that ends with this index: it never changes.
pub fn entry_url(settings: &Settings, index: u64) -> String {
    let bundle = LogTile::Entries { index: index / TILE_WIDTH };
    settings.url(&format!("/log/{}", bundle.path(index % TILE_WIDTH + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_settings::Mode;

    #[test]
    fn entry_url_leads_to_the_bundle_that_ends_with_the_leaf() {
        let settings = Settings::from_env(Mode::Public, |name| {
            (name == "BASE_URL").then(|| "https://r.example".to_owned())
        });
        let settings = settings.unwrap();
        assert_eq!(entry_url(&settings, 0), "https://r.example/log/tile/entries/000.p/1");
        assert_eq!(entry_url(&settings, 255), "https://r.example/log/tile/entries/000");
        assert_eq!(entry_url(&settings, 256), "https://r.example/log/tile/entries/001.p/1");
    }
}
