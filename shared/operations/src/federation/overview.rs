//! Which other registries are asked, when they last answered, and what they told. Its endpoint takes the operator's actions
//! `pull` and `push`.

use crate::prelude::*;
use registry_domain::federation;
use registry_domain::interop;
use registry_model::PeerRegistry;
use registry_model::protocol::MCP_REGISTRY;

/// The path of the family.
pub(super) const PATH: &str = "/api/products/federation";

pub struct Federation;

/// The federation at a glance.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// `status`.
    action: &'static str,
    /// The registries that are asked.
    peers: Vec<Peer>,
    /// Entries of theirs that are told as referrals.
    referrals: usize,
    /// Where this registry is read by others.
    endpoints: Endpoints,
    /// What a referral is, in a sentence.
    note: String,
}

/// Another registry.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Peer {
    /// Its base URL.
    url: String,
    /// The name it goes by.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Its search API, where it announces one.
    #[serde(skip_serializing_if = "Option::is_none")]
    search_url: Option<String>,
    /// When it was last asked; null if never.
    asked_at: Option<Moment>,
    /// When it last answered; null if never.
    answered_at: Option<Moment>,
    /// Why it gave nothing when it was asked last.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    /// Entries of it that are told as referrals.
    referrals: usize,
}

impl Peer {
    /// A registry of the settings, as far as it is known.
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

/// Where this registry is read by others.
#[derive(Debug, Serialize, JsonSchema)]
struct Endpoints {
    /// The catalogue of what is Live.
    ai_catalog: String,
    /// Search, browsing and exploring in the ARD standard.
    ard: String,
    /// The API of the MCP registry.
    mcp_registry: String,
    /// All that is Live, page by page, with the evidence.
    catalog: String,
    /// Where listings are taken.
    publish: String,
}

impl Operation for Federation {
    const NAME: &'static str = "federation";
    const TITLE: &'static str = "Other registries";
    const DESCRIPTION: &'static str = "Tells which other registries this one asks, when they last answered and how many \
        entries of theirs are told as referrals in searches; and where others read this one.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] =
        &["show the federation", "which registries are federated?", "federation overview"];
    const ROUTES: &'static [Route] = &Route::family(PATH);
    const ACTIONS: &'static [Action] = &[Action { path: PATH, names: &["status"] }];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let known = federation::known_peers(app).await?;
        let settings = &app.settings;
        let peers: Vec<Peer> = settings.federation_peers.iter().map(|url| Peer::of(url, &known)).collect();
        let url = |path| settings.url(path);
        let note = if peers.is_empty() {
            "No other registry is asked: the operator names them in the setting FEDERATION_PEERS."
        } else {
            "A referral is what another registry told: nobody here asked the one it names, so it is never Live. Searches \
                tell referrals unless `federation` is `none`."
        };
        Ok(Answer {
            ok: true,
            version: interop::VERSION,
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
            note: note.to_owned(),
        })
    }
}
