//! Lets a caller join the registry with one call. It publishes the caller, or uses the caller's existing
//! listing. It returns what the caller can contribute next, each contribution as a request, and whether the caller
//! already made it.

use crate::funnel::FeedbackDraft;
use crate::funnel::operations::take_demo::feedback_step;
use crate::interop;
use crate::listing::operations::check_status;
use crate::listing::status_url;
use crate::prelude::*;
use crate::publish::operations::list_yourself::ListYourself;
use crate::publish::submission::{PublishRequest, server_json_schema};
use registry_model::protocol::MAX_URL_BYTES;
use registry_store::NamedListing;

pub struct JoinAndContribute;

/// An existing listing, or what to publish.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = listing_or_source()))]
pub struct Arguments {
    /// The id of an existing listing (publishes nothing). Without it, send `url`, `agent_card_url`, `mcp_url` or `server_json`.
    #[serde(alias = "id")]
    listing_id: Option<String>,
    /// The URL of a card, a site or an MCP endpoint.
    #[schemars(extend("format" = "uri"), length(max = MAX_URL_BYTES))]
    url: Option<String>,
    /// The URL of an A2A agent card.
    #[schemars(extend("format" = "uri"), length(max = MAX_URL_BYTES))]
    agent_card_url: Option<String>,
    /// The endpoint of an MCP server.
    #[schemars(extend("format" = "uri"), length(max = MAX_URL_BYTES))]
    mcp_url: Option<String>,
    /// A server description: the `server.json` of the MCP registry.
    #[serde(default)]
    #[schemars(schema_with = "server_json_schema")]
    server_json: Option<Map<String, Value>>,
    /// A display name. It is used until the card has a name.
    #[schemars(regex(pattern = argument_schema::LINE), length(max = 120))]
    name: Option<String>,
    /// How you found the registry.
    #[schemars(regex(pattern = argument_schema::LINE), length(max = 200))]
    source: Option<String>,
}

/// The state of the listing, and what you can contribute.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    name: String,
    /// Agent or MCP server; null until the first probe determines it.
    kind: Option<Kind>,
    lane: Lane,
    /// Whether this call published the listing.
    published: bool,
    /// The link that shows the state and evidence of the listing.
    status_url: String,
    /// What to contribute, in order.
    contributions: Vec<Contribution>,
    next: NextStep,
    note: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Contribution {
    /// `trace`, `demo`, `feedback`, `endorse`, `used_with` or `outcome`.
    id: &'static str,
    /// Whether the demo or the feedback was done. Null for the others, because the registry does not store which listing
    /// sent them.
    done: Option<bool>,
    /// What `call` requires first, if that is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<&'static str>,
    call: NextStep,
}

/// Schema: a listing id, or exactly one thing to publish.
fn listing_or_source() -> Value {
    let (all, none) = (argument_schema::all_of, argument_schema::none_of);
    json!([
        all(&["listing_id"]),
        { "allOf": [all(&["server_json"]), none(&["agent_card_url", "mcp_url", "url"])] },
        { "allOf": [all(&["agent_card_url"]), none(&["server_json", "mcp_url"])] },
        { "allOf": [all(&["mcp_url"]), none(&["server_json", "agent_card_url"])] },
        { "allOf": [all(&["url"]), none(&["server_json", "agent_card_url", "mcp_url"])] },
    ])
}

impl Operation for JoinAndContribute {
    const NAME: &'static str = "join_and_contribute";
    const TITLE: &'static str = "Join and contribute";
    const DESCRIPTION: &'static str = "Publishes an agent or MCP server (url, agent_card_url, mcp_url or \
        server_json), or uses an existing listing_id. Returns what you can contribute next, for example the \
        demo, feedback or an endorsement of a peer. For each contribution, returns the request, and \
        whether demo and feedback are done.";
    const PHRASES: &'static [&'static str] =
        &["join and contribute with {url}", "join the network and contribute: {url}", "contribute as {id}"];
    const EFFECT: Effect = Effect { idempotent: true, open_world: true, ..Effect::WRITES };
    const EXAMPLE: &'static str = r#"{"url": "https://agent.example.com/.well-known/agent-card.json"}"#;
    const SUMMARY: &'static [&'static str] = &[
        r#""{name}" ({listing_id}) is {lane}. {note}"#,
        "What you can contribute: [contributions]{id} | , {done?done|not done yet} | , its call waits for {waits_for}",
    ];
    const FAMILY: Option<Family> = Some(Family::INTEROP);
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::Forbidden, ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let Arguments { listing_id, url, agent_card_url, mcp_url, server_json, name, source } = arguments;
        let (id, published) = match listing_id {
            Some(id) => (id, false),
            None => {
                let request = PublishRequest {
                    url,
                    agent_card_url,
                    mcp_url,
                    server_json,
                    name,
                    source,
                    ..PublishRequest::default()
                };
                let answer = ListYourself::run(app, caller, request).await?;
                (answer.listing_id().to_string(), answer.is_queued())
            }
        };
        let listing = lookup::shown_listing_with_evidence(app, &id).await?;
        let lane = listing.0.public_lane(app.oldest_proof());
        let contributions = contributions(app, &listing, lane).await?;
        let first = contributions.iter().find(|one| one.done == Some(false) && one.waits_for.is_none());
        let next = match first {
            Some(first) if lane == Lane::Active => first.call.clone(),
            None if lane == Lane::Active => {
                let note = "Demo and feedback are done. Read the inbox, and make the other contributions when they apply.";
                NextStep::talk_inbox(&app.settings.base_url, &listing.0.id, note)
            }
            // Only some listings become Live by waiting.
            _ => check_status::next(app, &listing.0, listing.1.as_ref()).await?,
        };
        Ok(Answer {
            listing_id: listing.0.id.clone(),
            name: listing.0.texts.name.clone(),
            kind: listing.0.kind,
            lane,
            published,
            status_url: status_url(&app.settings, &listing.0.id),
            contributions,
            next,
            note: "Each `call` is a request. Replace the texts in it with your own, and add what its note names.",
        })
    }
}

async fn contributions(app: &App, listing: &NamedListing, lane: Lane) -> Result<Vec<Contribution>, Problem> {
    let (core, settings) = (&listing.0, &app.settings);
    let peer = interop::suggestions(app, listing, 1).await?.pop();
    let (url, id) = (|path: &str| settings.url(path), &core.id);
    let live = Some("live").filter(|_| lane != Lane::Active);
    let order = match core.demoed && !core.feedbacked {
        true => app.store.listing_with_orders(id, app.clock.now()).await?.and_then(|mut of| of.orders.pop()),
        false => None,
    };
    let one = |id, done, waits_for, call| Contribution { id, done, waits_for, call };
    let mut contributions = vec![
        one(
            "trace",
            None,
            None,
            NextStep::post(
                "leave_trace",
                url("/api/products/stigmergy"),
                json!({ "action": "leave_trace", "listing_id": id, "kind": "intent", "body": "<what you are looking for>" }),
                "Leave a mark that says what you are looking for, so that others find you. Replace the text in <>.",
            ),
        ),
        one(
            "demo",
            Some(core.demoed),
            live,
            NextStep::take_demo(
                &settings.base_url,
                Some(id),
                "Take the free demo. It contains files that are generated from your own card and proof.",
            ),
        ),
        one(
            "feedback",
            Some(core.feedbacked),
            live.or((!core.demoed).then_some("demo")).filter(|_| order.is_none()),
            match order {
                Some(order) => feedback_step(settings, core, &FeedbackDraft::of(core, &order, &app.random)),
                None => NextStep::take_demo(
                    &settings.base_url,
                    Some(id),
                    "Its answer contains the step that is next.",
                ),
            },
        ),
    ];
    if let Some(((peer, _), _)) = peer {
        let stigmergy = |tool: &'static str, mut body: Value, note: String| {
            body["action"] = json!(tool);
            NextStep::post(tool, url("/api/products/stigmergy"), body, note)
        };
        let (them, name) = (&peer.id, &peer.texts.name);
        let used = stigmergy(
            "used_with",
            json!({ "listing_id": id, "listing_b": them }),
            format!(
                "After you used {name}, report it. The registry then records the two listings as used \
                together."
            ),
        );
        let endorse = stigmergy(
            "endorse",
            json!({ "listing_id": them, "from": id }),
            format!("If {name} worked well, endorse it."),
        );
        let outcome = NextStep::post_own(
            "deposit_outcome",
            url("/api/products/interop"),
            format!(
                "After you used {name}, report the outcome: {{\"action\": \"deposit_outcome\", \"listing_id\": \
                 \"{them}\", \"listing_b\": \"{id}\", \"ok\": …}}."
            ),
        );
        contributions.extend([
            one("used_with", None, live, used),
            one("endorse", None, None, endorse),
            one("outcome", None, None, outcome),
        ]);
    }
    Ok(contributions)
}
