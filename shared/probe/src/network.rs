//! Counts all probed listings: what the network of agents and MCP servers looks like. A count runs once an hour, or once a
//! day if there are many listings. It counts only what probes found, and one item stores the result.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::{explain, reasons};
use registry_app::App;
use registry_model::{
    Access, Assessment, Handshake, Kind, KindStatistics, Latency, Listing, Moment, NetworkStatistics, Verdict,
};
use registry_store::{DueClass, StoreError};

/// If a count takes longer, it is stopped, and the statistics of the previous count stay with their time.
const MAX_COUNT_TIME: Duration = Duration::from_secs(180);

pub(super) async fn count(app: &App) -> Result<(), StoreError> {
    let (now, before) = (app.clock.now(), app.store.network_statistics().await?);
    if before.as_ref().is_some_and(|before| !before.is_due(now)) {
        return Ok(());
    }
    if !app.store.take_slot("network", now.as_second() / 3600, now).await? {
        return Ok(());
    }
    let (began, oldest_proof) = (Instant::now(), app.oldest_proof());
    let [mut agents, mut mcps] = [KindCount::default(), KindCount::default()];
    // A probe moves a listing to another class, so a listing can appear twice.
    let mut counted = HashSet::new();
    for class in DueClass::OF_PROBED {
        let mut from = None;
        loop {
            let (listings, next) = app.store.of_class_with_evidence(class, from).await?;
            for (listing, evidence) in &listings {
                let of_kind = match listing.shown_kind() {
                    Kind::Agent => &mut agents,
                    Kind::Mcp => &mut mcps,
                };
                if counted.insert(listing.id.clone()) {
                    of_kind.add(listing, evidence.as_ref(), oldest_proof);
                }
            }
            if began.elapsed() > MAX_COUNT_TIME {
                tracing::warn!(counted = counted.len(), "too many listings to count the network in time");
                return Ok(());
            }
            from = next;
            if from.is_none() {
                break;
            }
        }
    }
    let statistics = NetworkStatistics::new(agents.finished(), mcps.finished(), before, app.clock.now());
    app.store.keep_network_statistics(&statistics).await
}

#[derive(Default)]
struct KindCount {
    statistics: KindStatistics,
    latencies: Vec<u32>,
}

impl KindCount {
    fn add(&mut self, listing: &Listing, evidence: Option<&Assessment>, oldest_proof: Moment) {
        let Some(probe) = &listing.probe else { return };
        let statistics = &mut self.statistics;
        statistics.probed += 1;
        statistics.live += u32::from(listing.is_live(oldest_proof));
        statistics.outcomes.add([probe.handshake.as_str()]);
        if let Some(shown) =
            listing.availability(oldest_proof).filter(|shown| shown.access != Access::Package)
        {
            statistics.access.add([shown.access.as_str()]);
        }
        let Some(evidence) = evidence else { return };
        if let Some(reason) = explain::reasons(evidence).first() {
            statistics.reasons.add([reasons::family(reason)]);
        }
        if probe.handshake == Handshake::Ok {
            let verdict = &evidence.verdict;
            statistics.versions.add(&verdict.facts.protocol_versions);
            statistics.capabilities.add(capabilities(listing.shown_kind(), verdict));
            self.latencies.extend(probe.latency_ms);
        }
    }

    fn finished(self) -> KindStatistics {
        let counted = self.statistics;
        KindStatistics {
            versions: counted.versions.shortened(),
            latency: Latency::of(self.latencies),
            ..counted
        }
    }
}

/// What a handshake that was ok found, in words of this registry.
fn capabilities(kind: Kind, verdict: &Verdict) -> Vec<&'static str> {
    let signal = |name: &str| verdict.signals.iter().any(|signal| signal == name);
    let hint = |name: &str| verdict.protocol_hints.iter().any(|hint| hint == name);
    let found = match kind {
        Kind::Agent => [
            ("skills", !verdict.facts.skills.is_empty()),
            ("answers_messages", verdict.answers == Some(true)),
            ("json_rpc", hint("jsonrpc")),
            ("http_json", hint("http+json")),
            ("declares_sign_in", signal("auth_declared")),
        ],
        Kind::Mcp => [
            ("tools", !verdict.facts.tools.is_empty()),
            ("resources_or_prompts", signal("contents_listed")),
            ("sessions", signal("session_id")),
            ("event_stream", signal("sse_answer")),
            ("stateless", signal("discover_answered")),
        ],
    };
    found.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect()
}
