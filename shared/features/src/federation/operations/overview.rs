//! Overview of federation. It returns the other registries that this registry reads. For each of them, it
//! returns the time of the last answer and the number of entries. The operator can call the actions `pull`
//! and `push` at the same endpoint.

use crate::prelude::*;
use crate::{federation, interop};
use registry_model::PeerRegistry;
use registry_model::protocol::MCP_REGISTRY;

const PATH: &str = Family::FEDERATION.path;

pub struct Federation;

/// The other registries and the endpoints of this one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Always `status`.
    action: &'static str,
    /// The registries in the settings.
    peers: Vec<Peer>,
    /// The number of entries of other registries that searches return as referrals.
    referrals: usize,
    endpoints: Endpoints,
    note: &'static str,
}

/// Another registry.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Peer {
    /// Its base URL.
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The search API of the registry, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    search_url: Option<String>,
    /// When this registry last queried the other registry. Null if it never did.
    asked_at: Option<Moment>,
    /// When the other registry last answered. Null if it never did.
    answered_at: Option<Moment>,
    /// Why the last query failed. Absent if it succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    /// The number of entries of this peer that searches return as referrals.
    referrals: usize,
}

impl Peer {
    pub(super) fn of(url: &str, known: &[PeerRegistry]) -> Self {
        let known = known.iter().find(|known| known.url == url);
        Self {
            url: url.to_owned(),
            name: known.map(|known| known.name.clone()),
            search_url: known.and_then(|known| known.search_url.clone()),
            asked_at: known.map(|known| known.asked_at),
            answered_at: known.and_then(|known| known.answered_at),
            failure: known.and_then(|known| known.failure.clone()),
            referrals: known.map_or(0, |known| known.referrals.len()),
        }
    }
}

/// Where other registries can read this registry.
#[derive(Debug, Serialize, JsonSchema)]
struct Endpoints {
    /// The catalog of Live listings.
    ai_catalog: String,
    /// Search, browse and explore (ARD).
    ard: String,
    /// The API of the MCP registry.
    mcp_registry: String,
    /// All Live listings in pages, with evidence.
    catalog: String,
    /// Publishes a listing.
    publish: String,
}

impl Operation for Federation {
    const NAME: &'static str = "federation";
    const TITLE: &'static str = "Overview of other registries";
    const VERSION: Option<&'static str> = Some(interop::VERSION);
    const DESCRIPTION: &'static str = "Returns the other registries that this registry reads. For each \
        registry, shows when it last answered, and how many of its entries a search here can return. Also \
        returns the endpoints where other registries can read this registry.";
    const PHRASES: &'static [&'static str] =
        &["show the federation", "which registries are federated?", "federation overview"];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "Other registries that this registry reads: {peers#}. Their entries that it knows: {referrals}.",
        "[peers]{url} | answered at {answered_at} | , known entries: {referrals} | , but failed: {failure}",
        "{note}",
    ];
    const ROUTES: &'static [Route] = &Route::family(PATH);
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let known = federation::known_peers(app).await?;
        let settings = &app.settings;
        let peers: Vec<Peer> = settings.federation_peers.iter().map(|url| Peer::of(url, &known)).collect();
        let url = |path| settings.url(path);
        let note = if peers.is_empty() {
            "No other registries are configured. The operator can set them in FEDERATION_PEERS."
        } else {
            "A referral is an entry of another registry, as that registry describes it. Its URL may also be listed here. \
                Searches return those that fit, in the format of ARD only the registries, unless `federation` is `none`."
        };
        Ok(Answer {
            action: "status",
            referrals: peers.iter().map(|peer| peer.referrals).sum(),
            peers,
            endpoints: Endpoints {
                ai_catalog: url("/.well-known/ai-catalog.json"),
                ard: url("/api/ard/"),
                mcp_registry: url(MCP_REGISTRY),
                catalog: url("/api/catalog"),
                publish: url("/api/publish"),
            },
            note,
        })
    }
}
