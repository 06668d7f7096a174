//! Publishes a listing. The listing is stored as queued and the answer is returned at once. The `listing.queued` event
//! starts the first probe. If that event is lost, the next scheduled sweep probes the listing.

use crate::listing::{NameStanding, badge, status_url};
use crate::prelude::*;
use crate::publish::listing::{self, PublishStatus, Published};
use crate::publish::name_proof;
use crate::publish::rights::Right;
use crate::publish::submission::{PublishRequest, Submission};
use registry_formats::server_json;
use registry_model::protocol::SERVER_DESCRIPTION_SCHEMA;
use registry_model::{Obstacle, POLL_SECONDS};

pub struct ListYourself;

/// The state of the listing, and how to poll its status.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    /// Agent or MCP server; null while unknown.
    kind: Option<Kind>,
    lane: Lane,
    /// Whether the name in the server description is proven, or only claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    name_standing: Option<NameStanding>,
    /// `queued`: the listing will be probed. `active`: it is already Live. `duplicate`: it was already queued, or is gated.
    status: PublishStatus,
    message: String,
    status_url: String,
    /// How to poll the listing's status.
    poll: Poll,
    /// The earliest time of the next probe of a queued listing, if it is not now.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_at: Option<Moment>,
    /// A badge for the listing's README, in Markdown. It shows whether the listing is Live.
    badge_markdown: String,
    next: NextStep,
}

/// How often to poll, and where.
#[derive(Debug, Serialize, JsonSchema)]
struct Poll {
    /// The URL of the listing's status.
    url: String,
    /// Seconds before the first request, and between two requests.
    interval_s: u32,
}

impl Answer {
    pub(crate) const fn listing_id(&self) -> &ListingId {
        &self.listing_id
    }

    pub(crate) const fn is_queued(&self) -> bool {
        matches!(self.status, PublishStatus::Queued)
    }
}

impl Operation for ListYourself {
    const NAME: &'static str = "list_yourself";
    const ALIASES: &'static [&'static str] = &["list_on_registry"];
    const TITLE: &'static str = "List yourself";
    const DESCRIPTION: &'static str = "Publishes an A2A agent or an MCP server in this registry, free of \
        charge. Pass the URL of a card, a site or an MCP endpoint, or a server description. A probe usually \
        follows within seconds. If it succeeds, the listing becomes Live. If not, check_status returns what to fix. \
        Then call this tool again.";
    const PHRASES: &'static [&'static str] = &[
        "list my agent at {url}",
        "please list me: {url}",
        "publish {url}",
        "[list-mcp] register the MCP server {url}",
        "[list-agent] add my agent card {url} to the registry",
        "[dual-publish] dual publish my MCP server {url}",
    ];
    const EFFECT: Effect = Effect { idempotent: true, open_world: true, ..Effect::WRITES };
    const EXAMPLE: &'static str = r#"{"url": "https://agent.example.com/.well-known/agent-card.json"}"#;
    const SUMMARY: &'static [&'static str] = &["{message}", "Its id is {listing_id}; it is {lane}."];
    const SKILLS: &'static [AdvertisedSkill] = &[
        AdvertisedSkill::of::<Self>(
            "Publishes an agent or MCP server, free of charge. Send its URL; the registry \
                probes it.",
            &["registry", "publish", "listing"],
        ),
        AdvertisedSkill {
            id: "list-agent",
            name: "List an agent",
            description: "Publishes an A2A agent. Send the URL of its card.",
            tags: &["registry", "a2a", "agent-card"],
        },
        AdvertisedSkill {
            id: "list-mcp",
            name: "List an MCP server",
            description: "Publishes an MCP server. Send its URL, or call list_yourself with its server_json.",
            tags: &["registry", "mcp", "server-json"],
        },
        AdvertisedSkill {
            id: "dual-publish",
            name: "Publish in two registries",
            description: "Publishes the server.json of the official MCP registry unchanged: send it as the \
                argument server_json of list_yourself.",
            tags: &["registry", "mcp", "server-json", "publish"],
        },
    ];
    const ROUTES: &'static [Route] =
        &[Route::post_as("/api/publish", arguments_of_body).taking(or_server_description)];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::Forbidden, ErrorKind::Conflict];
    type Arguments = PublishRequest;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: PublishRequest) -> Result<Answer, Problem> {
        let submission = Submission::parse(arguments, app.settings.reach())?;
        let name = app.caller_digest(caller).await?;
        app.count(LimitedAction::Publish, &name, submission.host().as_deref()).await?;
        let published = listing::publish(app, caller, &submission).await?;
        Ok(answer(app, &submission, &published))
    }
}

const UNCHANGED: &str = "texts (name, description, version, website) and packages are unchanged, because \
    nothing proves that you are its owner.";

fn answer(app: &App, submission: &Submission, published: &Published) -> Answer {
    let Published { listing, status, retry_at, renews, differs } = published;
    let status_url = status_url(&app.settings, &listing.id);
    let (now, lane) = (app.clock.now(), listing.public_lane(app.oldest_proof()));
    let (already, if_shown) = match lane {
        Lane::Gated => (
            "This listing is already gated. Its next regular probe makes it Live if it answers without a sign-in; its \
             proven owner can request one earlier (`manage_listing`, act `reprobe`).",
            PublishStatus::Duplicate,
        ),
        _ => ("This listing is already Live.", PublishStatus::Active),
    };
    let mut message = match (status, retry_at) {
        (PublishStatus::Active, _) if *differs >= Some(Right::Words) => {
            let probed = if *renews { " It is probed again now." } else { "" };
            format!("{already} Its description was replaced.{probed}")
        }
        (PublishStatus::Active, _) if *renews => {
            format!("{already} Its last proof is not fresh, so it is probed again now.")
        }
        (PublishStatus::Active, _) if *differs == Some(Right::Name) => already.to_owned(),
        (PublishStatus::Active, _) if listing.holds_proven_name() => format!("{already} Its name is proven."),
        (PublishStatus::Active, _) => format!("{already} Nothing was changed."),
        (_, Some(at)) => format!("Queued. It is probed again after {at}."),
        (PublishStatus::Duplicate, None) => "Already queued. Its probe usually follows at once.".to_owned(),
        (PublishStatus::Queued, None) if listing.obstacle == Some(Obstacle::StdioOnly) => {
            "Queued. It has no HTTP endpoint, so it cannot become Live: the registry only checks its packages, if it declares any.".to_owned()
        }
        (PublishStatus::Queued, None) => "Queued. Its probe usually follows at once.".to_owned(),
    };
    if *status == PublishStatus::Queued && listing.was_put_back() {
        message.push_str(" It was moved or restored, and is not Live until a probe succeeds.");
    }
    let query = |url: &str| Some(url.split_once('?')?.1.to_owned());
    if submission.url().and_then(query).is_some_and(|asked| query(listing.target()) != Some(asked)) {
        message.push_str(" A URL with another query is the same listing.");
    }
    match submission.kind().filter(|_| lane.is_proven()) {
        Some(Kind::Mcp) if listing.kind == Some(Kind::Agent) => message.push_str(
            " But it was proven as an agent. To list an MCP server at this URL, too, send a `server_json` with the URL in \
            `remotes`.",
        ),
        Some(Kind::Agent) if listing.kind == Some(Kind::Mcp) => {
            message.push_str(" But it was proven as an MCP server, not as an agent.");
        }
        _ => {}
    }
    if submission.schema().is_some_and(|schema| schema != SERVER_DESCRIPTION_SCHEMA) {
        message.push_str(" It was checked against the schema 2025-12-11, not against its `$schema`.");
    }
    let claims = if *differs == Some(Right::Name) { " It now claims the name that you sent." } else { "" };
    if differs.is_some_and(|right| right < Right::Words) {
        let is_elsewhere = submission.url().is_some_and(|url| listing.url.as_deref() != Some(url));
        let kept = if is_elsewhere { "Its URL and" } else { "Its" };
        message = format!("{message}{claims} {kept} {UNCHANGED} {}", name_proof::advice(app, listing));
    }
    let check = |note| NextStep::get("check_status", status_url.clone(), json!({ "id": listing.id }), note);
    let due = retry_at.unwrap_or(now);
    let next = match *status {
        PublishStatus::Active if *renews => check("A passed probe changes `probe.probed_at`.").poll(now, now),
        PublishStatus::Active => check("See its last proof and probe."),
        _ if lane != Lane::Queued => check("Poll until `liveness.asked_at` changes.").poll(due, now),
        _ => check("Poll until `lane` is not `queued`. Faults to fix are in `reasons`.").poll(due, now),
    };
    Answer {
        listing_id: listing.id.clone(),
        kind: listing.kind,
        lane,
        name_standing: NameStanding::of(listing),
        status: if *status == PublishStatus::Active { if_shown } else { *status },
        message,
        poll: Poll { url: status_url.clone(), interval_s: next.wait_s.unwrap_or(POLL_SECONDS) },
        retry_at: *retry_at,
        badge_markdown: badge::markdown(&app.settings, badge::DEFAULT, &listing.id),
        next,
        status_url,
    }
}

/// The body may also be a server description itself.
fn or_server_description(mut schema: Value) -> Value {
    let types = schema.as_object_mut().and_then(|schema| schema.shift_remove("$defs"));
    let mut description = schema["properties"]["server_json"].clone();
    description["type"] = json!("object");
    json!({ "type": "object", "anyOf": [schema, description], "$defs": types.unwrap_or(json!({})) })
}

/// The body may be a server description itself, but not an agent card: without its URL it cannot be probed.
fn arguments_of_body(body: Value) -> Result<Value, Problem> {
    let Value::Object(mut body) = body else { return Ok(body) };
    // A page of the MCP registry API.
    match body.get_mut("servers").and_then(Value::as_array_mut).map(Vec::as_mut_slice) {
        Some([only]) => return arguments_of_body(only.take()),
        Some(_) => {
            let detail = "The body is a list of servers. Send one entry of it at a time.";
            return Err(Problem::invalid("servers", Code::OneAtATime, detail));
        }
        None => {}
    }
    if body.contains_key("skills") && !body.contains_key("server_json") && !server_json::looks_like(&body) {
        let detail = "The body is an agent card. Send its URL instead: {\"agent_card_url\": \
            \"https://your.host/.well-known/agent-card.json\"}.";
        return Err(Problem::invalid("agent_card_url", Code::CardWithoutItsUrl, detail));
    }
    Ok(Value::Object(if server_json::looks_like(&body) { arguments_of_server(body) } else { body }))
}

/// The arguments in a server description: itself, and a proof that was sent with it.
pub fn arguments_of_server(mut description: Map<String, Value>) -> Map<String, Value> {
    let proof = description.shift_remove_entry("proof");
    proof.into_iter().chain([("server_json".to_owned(), description.into())]).collect()
}
