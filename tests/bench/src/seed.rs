//! Writes thousands of Live listings to a table. Each listing goes through the same code as in the registry:
//! it is submitted, inserted, assessed and recorded. Only the handshake is left out.

use std::sync::Arc;

use ::tests::fixtures::{feed_item, probe_record, verdict as sound_verdict};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use jiff::SignedDuration;
use local::engine::{self, Data, Embedded};
use registry::app::App;
use registry::events::Bus;
use registry::model::{
    Assessment, Clock, Facts, Handshake, Kind, Lane, Listing, ListingId, Moment, Random, StateChange, Verdict,
};
use registry::probe::checks::{self, Context};
use registry::probe::score;
use registry::probe::transition::{self, Job};
use registry::publish::submission::{PublishRequest, Submission};
use registry::settings::{Mode, Settings};
use registry::store::{Store, WriteOutcome, table};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::Failure;
use crate::words::{Texts, Words};

/// Concurrent writers, which build requests while another waits for the engine.
const WRITERS: usize = 4;

/// A store for seeding without transaction tokens. The engine keeps tokens for ten minutes and searches all of them for each
/// transaction, and seeding repeats no transaction.
fn store(engine: &Embedded, settings: &Settings) -> Store {
    Store::new(engine::client(WithoutTokens(engine.clone())), &settings.table_name)
}

/// Removes the tokens from transactions.
#[derive(Clone, Debug)]
struct WithoutTokens(Embedded);

impl HttpClient for WithoutTokens {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for WithoutTokens {
    fn call(&self, mut request: HttpRequest) -> HttpConnectorFuture {
        let body = request.body().bytes().unwrap_or_default();
        if let Ok(Value::Object(mut members)) = serde_json::from_slice(body)
            && members.shift_remove("ClientRequestToken").is_some()
        {
            *request.body_mut() = SdkBody::from(Value::Object(members).to_string());
        }
        self.0.call(request)
    }
}

/// A new table with Live listings `0..listings`, and an app that writes to it. Returns the ids in no order. The listings
/// are not indexed.
///
/// # Errors
/// The table cannot be opened or returns an error.
pub(crate) async fn table(
    data: &Data,
    listings: usize,
    words: &Arc<Words>,
) -> Result<(Embedded, App, Vec<ListingId>), Failure> {
    let settings = Settings::from_env(Mode::Development, |_| None)?;
    let engine = Embedded::open(data, &Clock::System)?;
    table::ensure(&engine::client(engine.clone()), &settings.table_name).await?;
    let store = store(&engine, &settings);
    let ids = seed(&store, &settings, Clock::System.now(), 0..listings, words).await?;
    Ok((engine, App::new(settings, store, Bus::Silent, Clock::System, Random::System), ids))
}

/// Builds the search index until no listing is marked.
///
/// # Errors
/// The table returns an error.
pub(crate) async fn index(app: &App) -> Result<(), Failure> {
    while !app.store.dirty_marks(None, 1).await?.is_empty() {
        app.search.build().await?;
    }
    Ok(())
}

/// The lease mark of seeded listings.
const MARK: &str = "seed";

/// Makes the listings `numbers` Live, within hours before `now`; higher numbers are newer. Returns their ids in no order.
///
/// # Errors
/// The table returns an error.
pub(crate) async fn seed(
    store: &Store,
    settings: &Settings,
    now: Moment,
    numbers: std::ops::Range<usize>,
    words: &Arc<Words>,
) -> Result<Vec<ListingId>, Failure> {
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (store, settings, numbers) = (store.clone(), settings.clone(), numbers.clone());
        let words = Arc::clone(words);
        writers.spawn(async move {
            let mut ids = Vec::new();
            for n in numbers.skip(writer).step_by(WRITERS) {
                ids.push(live(&store, &settings, now, n, &words).await?);
            }
            Ok::<_, Failure>(ids)
        });
    }
    let mut all = Vec::new();
    while let Some(ids) = writers.join_next().await {
        all.extend(ids??);
    }
    Ok(all)
}

async fn live(
    store: &Store,
    settings: &Settings,
    now: Moment,
    n: usize,
    words: &Words,
) -> Result<ListingId, Failure> {
    let kind = if n.is_multiple_of(2) { Kind::Agent } else { Kind::Mcp };
    // Ten per second; number 100,000 is at `now`.
    let at = now - SignedDuration::from_millis(100 * i64::try_from(100_000_usize.saturating_sub(n))?);
    let url = format!("https://{}-{n}.example.com", kind.as_str());
    live_at(store, settings, at, &Site { kind, url, number: n }, words).await
}

/// The site of a seeded listing. Its number makes its tools unique.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The kind of the listing.
    pub(crate) kind: Kind,
    /// The URL before the path of the card or endpoint.
    pub(crate) url: String,
    /// The number of the listing.
    pub(crate) number: usize,
}

/// Makes one listing Live with a proof at `at`.
///
/// # Errors
/// The table returns an error.
pub(crate) async fn live_at(
    store: &Store,
    settings: &Settings,
    at: Moment,
    site: &Site,
    words: &Words,
) -> Result<ListingId, Failure> {
    let n = site.number;
    let submission = Submission::parse(fields(site), settings.reach())
        .map_err(|problem| format!("listing {n} is refused: {problem:?}"))?;
    let (id, _) = submission.ids();
    let mut before = submission.listing(id, at);
    before.lease = Some(MARK.to_owned());
    let queued = feed_item("listing_queued", &before, before.listed_at);
    if !store.insert(&before, None, &submission.contact, &queued, None).await? {
        return Err(format!("listing {n} already exists").into());
    }
    let assess = |words: &Words| {
        let texts = words.of(n, site.kind == Kind::Agent);
        state_change(before.clone(), settings, verdict(site, texts), at)
    };
    let change = assess(words);
    // Some real texts fail the checks; such a listing gets generated texts.
    let change = if change.after.lane == Lane::Active { change } else { assess(&Words::default()) };
    match store.record(&change).await? {
        WriteOutcome::Written => Ok(change.after.id),
        other => Err(format!("listing {n} was not recorded: {other:?}").into()),
    }
}

fn fields(Site { kind, url: origin, .. }: &Site) -> PublishRequest {
    match kind {
        Kind::Agent => PublishRequest {
            agent_card_url: Some(format!("{origin}{}", crate::peers::CARD)),
            ..PublishRequest::default()
        },
        Kind::Mcp => PublishRequest { mcp_url: Some(format!("{origin}/mcp")), ..PublishRequest::default() },
    }
}

fn state_change(before: Listing, settings: &Settings, verdict: Verdict, at: Moment) -> StateChange {
    let context = Context {
        reach: settings.reach(),
        card_url: verdict.facts.card_url.clone(),
        endpoint_holder: None,
        listing: Some(before.clone()),
    };
    let checks = checks::of(&verdict, &context);
    let score = score::of(&verdict, &checks, Some(&before));
    let assessment = Assessment { verdict, checks, score, probed_at: at, changed: None };
    let after = transition::after_probe(&before, &assessment, Job::Tick, settings);
    let record = probe_record(&after, &assessment);
    let news = vec![feed_item("listing_live", &after, after.listed_at)];
    StateChange {
        before,
        after,
        assessment,
        record,
        preflight_reject: false,
        recheck: false,
        was_overdue: false,
        news,
        trail: None,
        yielding: None,
        messages: Vec::new(),
    }
}

/// The verdict on a sound peer with these texts.
fn verdict(site: &Site, own: Texts) -> Verdict {
    let Site { kind, url: origin, number } = site;
    let texts = |all: &[&str]| all.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let agent = *kind == Kind::Agent;
    let facts = Facts {
        kind: Some(*kind),
        name: Some(own.name),
        description: Some(own.description),
        version: Some("1.4.2".to_owned()),
        endpoint: Some(format!("{origin}/{}", if agent { "rpc" } else { "mcp" })),
        card_url: agent.then(|| format!("{origin}{}", crate::peers::CARD)),
        website: Some(format!("{origin}/docs")),
        protocol_versions: texts(&[if agent { "1.0" } else { "2026-07-28" }]),
        skills: own.skills,
        tools: own.tools,
        tools_hash: (!agent).then(|| format!("{number:064x}")),
        ..Facts::default()
    };
    Verdict {
        answers: agent.then_some(true),
        latency_ms: Some(120),
        signals: texts(if agent {
            &["card_ok", "task_not_found_answered", "message_answered"]
        } else {
            &["ok_modern"]
        }),
        protocol_hints: texts(&[if agent { "a2a/1.0" } else { "mcp/2026-07-28" }, "jsonrpc"]),
        ..sound_verdict(Handshake::Ok, facts)
    }
}
