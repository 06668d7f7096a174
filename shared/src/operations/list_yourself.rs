//! Publishing: the one POST by which a listing comes to be. It answers at once and fetches nothing; the first
//! probe follows on the `listing.queued` event, and the tick is the net beneath.

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{AdvertisedSkill, Effect, Operation};
use crate::app::App;
use crate::badge;
use crate::error::Problem;
use crate::events::{Event, What};
use crate::http::Caller;
use crate::listing::submission::{Fields, Submission};
use crate::listing::{Kind, Lane, Listing, ListingId};
use crate::moment::Moment;
use crate::probe::server_json;
use crate::store::{Allowance, FeedItem, Insertion};

/// Lists an agent or an MCP server.
#[derive(Debug)]
pub struct ListYourself;

/// What to list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {
    /// A card URL, or a site from which the well-known card paths are tried.
    url: Option<String>,
    /// The URL of an A2A agent card.
    agent_card_url: Option<String>,
    /// The endpoint of an MCP server (streamable HTTP).
    mcp_url: Option<String>,
    /// A server description (server.json of the MCP registry).
    server_json: Option<Map<String, Value>>,
    /// A display name, used until the card gives one.
    name: Option<String>,
    /// Where to write about this listing; never shown.
    contact_email: Option<String>,
    /// Where you heard of the registry.
    source: Option<String>,
}

/// Where the listing stands, and where to watch it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    /// The listing's id.
    listing_id: ListingId,
    /// Agent or MCP server; null until the first probe settles it.
    kind: Option<Kind>,
    /// Where it stands.
    lane: Lane,
    /// `queued`: it will be probed; `active`: it is Live already; `duplicate`: it was waiting already.
    status: &'static str,
    /// In words.
    message: String,
    /// Where to watch it.
    status_url: String,
    /// How to watch it.
    poll: Poll,
    /// The earliest time of its next probe, where that is not now.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_at: Option<Moment>,
    /// A badge for its README; green once it is Live.
    badge_markdown: String,
    /// What to do next.
    next: Next,
}

/// How to poll.
#[derive(Debug, Serialize, JsonSchema)]
struct Poll {
    /// The status of the listing.
    url: String,
    /// Seconds between two looks.
    interval_s: u32,
}

/// What to do next.
#[derive(Debug, Serialize, JsonSchema)]
struct Next {
    action: &'static str,
    method: &'static str,
    url: String,
    note: &'static str,
}

impl Operation for ListYourself {
    const NAME: &'static str = "list_yourself";
    const ALIASES: &'static [&'static str] = &["list_on_registry"];
    const TITLE: &'static str = "List yourself";
    const DESCRIPTION: &'static str = "Lists an A2A agent or an MCP server in this registry, free. Give a card URL, \
        a site, an MCP endpoint or a server description. It is probed with a real handshake within seconds and goes \
        Live if it answers; else check_status says what to fix. Call it again after a fix to be probed anew.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: true, open_world: true };
    const EXAMPLE: &'static str = r#"{"url": "https://agent.example.com/.well-known/agent-card.json"}"#;
    const PHRASES: &'static [&'static str] = &[
        "list my agent at {url}",
        "please list me: {url}",
        "publish {url}",
        "register the MCP server {url}",
        "add my agent card {url} to the registry",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[
        AdvertisedSkill {
            id: "list-yourself",
            name: "List yourself",
            description: "Lists an agent or MCP server by its URL, free; it is probed at once and goes Live if it answers.",
            tags: &["registry", "publish", "listing"],
        },
        AdvertisedSkill {
            id: "list-agent",
            name: "List an agent",
            description: "Lists an A2A agent by the URL of its card.",
            tags: &["registry", "a2a", "agent-card"],
        },
        AdvertisedSkill {
            id: "list-mcp",
            name: "List an MCP server",
            description: "Lists an MCP server by its endpoint or its server description.",
            tags: &["registry", "mcp", "server-json"],
        },
    ];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let submission = Submission::parse(arguments.into(), app.settings.reach())?;
        allow(app, caller, &submission).await?;
        let now = app.clock.now();
        let (id, beside) = submission.ids();
        let (id, known) = match (app.store.listing(&id).await?, beside) {
            (Some(other), Some(beside)) if !submission.is_same_as(&other) => {
                let known = app.store.listing(&beside).await?;
                (beside, known)
            }
            (known, _) => (id, known),
        };
        match known {
            Some(known) => again(app, &submission, known, now).await,
            None => first(app, &submission, id, now).await,
        }
    }
}

/// Lists what is not known yet.
///
/// # Errors
/// The table is busy.
pub(crate) async fn first(
    app: &App,
    submission: &Submission,
    id: ListingId,
    now: Moment,
) -> Result<Answer, Problem> {
    let listing = submission.listing(id, now);
    let news = FeedItem {
        what: "listing_queued".to_owned(),
        at: now,
        listing_id: listing.id.clone(),
        kind: listing.kind,
        name: listing.name.clone(),
        text: format!("{} was published and waits for its first probe.", listing.name),
    };
    match app.store.insert(&listing, &submission.contact, &news).await? {
        Insertion::Done => {
            announce(app, &listing, now).await;
            Ok(answer(app, &listing, "queued", None))
        }
        Insertion::AlreadyThere => Ok(answer(app, &listing, "duplicate", None)),
    }
}

/// Publishing again is how an owner asks for a probe after a fix. What is Live is left as it is: its words are
/// not anybody's to change who knows its URL.
async fn again(app: &App, submission: &Submission, known: Listing, now: Moment) -> Result<Answer, Problem> {
    match known.lane {
        Lane::Active => return Ok(answer(app, &known, "active", None)),
        Lane::Withdrawn => {
            return Err(Problem::new(
                http::StatusCode::CONFLICT,
                "withdrawn",
                "This listing was withdrawn by its owner, and only its owner can bring it back.",
            )
            .with("lane", known.lane.as_str()));
        }
        Lane::Queued | Lane::NeedsFix | Lane::Demoted => {}
    }
    let tick = SignedDuration::from_secs(app.settings.probe_tick_seconds.into());
    let earliest = known.probe.as_ref().map_or(now, |probe| probe.at + tick);
    let mut asked = known.clone();
    submission.describe(&mut asked);
    asked.due_at = now.max(earliest);
    let status = if known.lane == Lane::Queued { "duplicate" } else { "queued" };
    let retry_at = Some(earliest).filter(|earliest| *earliest > now);
    if app.store.republish(&known, &asked, &submission.contact, now).await? && retry_at.is_none() {
        announce(app, &asked, now).await;
    }
    Ok(answer(app, &asked, status, retry_at))
}

async fn allow(app: &App, caller: &Caller, submission: &Submission) -> Result<(), Problem> {
    let (caller, host) = (caller.name(), submission.host());
    let rate = app.settings.publish_rate;
    let act = Allowance { act: "publish", caller: &caller, host: host.as_deref(), rate };
    super::allow(app, act).await
}

async fn announce(app: &App, listing: &Listing, at: Moment) {
    let event = Event { what: What::Queued, listing_id: listing.id.clone(), kind: listing.kind, at };
    app.bus.send(&event).await;
}

fn answer(app: &App, listing: &Listing, status: &'static str, retry_at: Option<Moment>) -> Answer {
    let status_url = app.settings.url(&format!("/api/listings/status?id={}", listing.id));
    let message = match (status, retry_at) {
        ("active", _) => "This listing is Live already; nothing was changed.".to_owned(),
        (_, Some(at)) => format!("Queued. It was asked a moment ago and is probed again from {at} on."),
        ("duplicate", None) => "This listing was queued already; its probe is due.".to_owned(),
        _ => "Listed and queued; the first probe follows at once.".to_owned(),
    };
    Answer {
        ok: true,
        listing_id: listing.id.clone(),
        kind: listing.kind,
        lane: listing.lane,
        status,
        message,
        poll: Poll { url: status_url.clone(), interval_s: 2 },
        retry_at,
        badge_markdown: badge::markdown(&app.settings, &listing.id),
        next: Next {
            action: "check_status",
            method: "GET",
            url: status_url.clone(),
            note: "Poll until lane is `active`, or `needs_fix` with reasons that say what to change.",
        },
        status_url,
    }
}

impl From<Arguments> for Fields {
    fn from(given: Arguments) -> Self {
        Self {
            url: given.url,
            agent_card_url: given.agent_card_url,
            mcp_url: given.mcp_url,
            server_json: given.server_json,
            name: given.name,
            contact_email: given.contact_email,
            source: given.source,
        }
    }
}

/// A publish body as arguments: a server description may stand in it as it is, and an agent card may not.
///
/// # Errors
/// The body is an agent card, which cannot be probed without its URL.
pub fn arguments_of_body(body: Value) -> Result<Value, Problem> {
    let Value::Object(body) = body else { return Ok(body) };
    if body.contains_key("skills") && !body.contains_key("server_json") && !server_json::looks_like(&body) {
        return Err(Problem::invalid(
            "agent_card_url",
            "card_without_its_url",
            "This is an agent card itself. Send where it is served: {\"agent_card_url\": \
             \"https://your.host/.well-known/agent-card.json\"}.",
        ));
    }
    Ok(if server_json::looks_like(&body) { json!({ "server_json": body }) } else { Value::Object(body) })
}
