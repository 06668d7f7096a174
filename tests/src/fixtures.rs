//! Listings, verdicts and feed items for tests and benches: each builder makes a sound one, and its caller changes what
//! the test is about.

#![expect(clippy::unwrap_used, reason = "a fixture that cannot be made fails its test")]

use jiff::SignedDuration;
use registry::app::App;
use registry::model::{
    Assessment, Check, Facts, FeedItem, Handshake, Kind, Lane, Listing, ListingId, Moment, ProbeRecord,
    Score, Verdict,
};
use registry::publish::submission::{PublishRequest, Submission};
use serde_json::{Value, json};

/// A listing of a kind, as its publish makes it.
#[must_use]
pub fn submitted_listing(app: &App, kind: Kind, number: usize) -> (Submission, Listing) {
    let fields = match kind {
        Kind::Agent => PublishRequest {
            url: Some(format!("https://host-{number}.example.org/.well-known/agent-card.json")),
            ..PublishRequest::default()
        },
        Kind::Mcp => {
            let document = json!({
                "name": format!("org.example/server-{number}"), "description": "Serves.", "version": "1.0.0",
                "remotes": [{ "type": "streamable-http", "url": format!("https://host-{number}.example.org/mcp") }],
            });
            let Value::Object(document) = document else { unreachable!("an object was written") };
            PublishRequest { server_json: Some(document), ..PublishRequest::default() }
        }
    };
    let submission = Submission::parse(fields, app.settings.reach()).unwrap();
    let listing = submission.listing(submission.ids().0, app.clock.now());
    (submission, listing)
}

/// Puts so many Live listings of a kind into the table without a peer behind them, a second apart and some at the
/// same moment; gives their ids. They come through the same parser and the same insertion as published ones.
pub async fn insert_live_listings(app: &App, kind: Kind, how_many: usize) -> Vec<ListingId> {
    let mut ids = Vec::new();
    for number in 0..how_many {
        let (submission, mut listing) = submitted_listing(app, kind, number);
        let at = app.clock.now() - SignedDuration::from_secs(i64::try_from(number / 3).unwrap());
        listing.lane = Lane::Active;
        listing.live_since = Some(at);
        listing.last_ok_at = Some(at);
        let news = feed_item("listing_queued", &listing, at);
        app.store.insert(&listing, &submission.contact, &news, None).await.unwrap();
        ids.push(listing.id);
    }
    ids
}

/// A feed item about a listing.
#[must_use]
pub fn feed_item(what: &str, listing: &Listing, at: Moment) -> FeedItem {
    FeedItem {
        what: what.to_owned(),
        at,
        listing_id: Some(listing.id.clone()),
        kind: listing.kind,
        name: listing.name.clone(),
        text: format!("{} is in the news: {what}.", listing.name),
    }
}

/// The verdict of a handshake, without anything else that was seen.
#[must_use]
pub fn verdict(handshake: Handshake, facts: Facts) -> Verdict {
    Verdict {
        handshake,
        reasons: Vec::new(),
        inconclusive: false,
        retry_after: None,
        speaks: handshake == Handshake::Ok,
        answers: None,
        latency_ms: None,
        signals: Vec::new(),
        protocol_hints: Vec::new(),
        facts,
    }
}

/// A verdict under one blocking check that holds or not, and with half of all points.
#[must_use]
pub fn assessment(verdict: Verdict, clean: bool, probed_at: Moment) -> Assessment {
    let check = Check { id: "https".to_owned(), ok: clean, blocking: true, detail: String::new() };
    let score = Score { value: 50, breakdown: Vec::new() };
    Assessment { verdict, checks: vec![check], score, probed_at, changed: None }
}

/// The record that the statistics keep of an assessed listing.
#[must_use]
pub fn probe_record(listing: &Listing, assessment: &Assessment) -> ProbeRecord {
    let verdict = &assessment.verdict;
    ProbeRecord {
        id: listing.id.clone(),
        kind: listing.shown_kind(),
        target: verdict.facts.endpoint.clone().unwrap_or_default(),
        ok: verdict.handshake == Handshake::Ok,
        latency_ms: verdict.latency_ms,
        score: assessment.score.value,
        signals: verdict.signals.clone(),
        handshake: verdict.handshake,
        protocol_hints: verdict.protocol_hints.clone(),
        probed_at: assessment.probed_at,
        reason: verdict.reasons.first().map(|reason| reason.reason.clone()),
    }
}
