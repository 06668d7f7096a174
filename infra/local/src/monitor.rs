//! What an orchestrator and Prometheus read of a registry on one machine: `/healthz`, `/readyz` and `/metrics`; and the
//! operator's commands, at `/operator`. They are not part of the registry's API, and AWS has its own metrics. No label
//! contains a text of a caller.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router};
use futures::FutureExt as _;
use http::{Method, StatusCode, header};
use registry::app::App;
use registry::features::operation::operator_token;
use registry::metrics::{Metric, Metrics};
use registry::rest::CalledBy;
use registry::settings::Mode;
use serde::Deserialize as _;

use crate::functions::Job;
use crate::gateway::AnsweredBy;
use crate::takedown;

const MAX_COMMAND_BYTES: usize = 64 * 1024;
/// The upper bounds of the histogram, in seconds.
const BOUNDS: [f64; 5] = [0.005, 0.025, 0.1, 1.0, 10.0];

/// What happened since the start of the process. Clones have the same counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Monitor(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    /// By function and class of the status.
    requests: BTreeMap<(&'static str, &'static str), Histogram>,
    /// A sum for a counter, the last value for any other metric.
    jobs: BTreeMap<Metric, i64>,
}

#[derive(Debug, Default)]
struct Histogram {
    count: u64,
    sum: Duration,
    /// Requests that took at most as long as the bound.
    within: [u64; BOUNDS.len()],
}

impl Histogram {
    fn add(&mut self, took: Duration) {
        self.count += 1;
        self.sum += took;
        for (within, bound) in self.within.iter_mut().zip(BOUNDS) {
            *within += u64::from(took.as_secs_f64() <= bound);
        }
    }
}

impl Monitor {
    /// Counts the requests of a router, and adds the pages.
    pub(crate) fn with_pages(&self, router: Router, app: App) -> Router {
        router.layer(from_fn_with_state((self.clone(), app), observe))
    }

    /// The job; the metrics of its reports are recorded.
    pub(crate) fn watched(&self, job: Job) -> Job {
        let monitor = self.clone();
        Arc::new(move |event| {
            let (monitor, done) = (monitor.clone(), job(event));
            async move {
                let report = done.await?;
                if let Ok(metrics) = Metrics::deserialize(&report["metrics"]) {
                    monitor.record(metrics);
                }
                Ok(report)
            }
            .boxed()
        })
    }

    fn record(&self, metrics: Metrics) {
        let mut counts = self.lock();
        for (metric, value) in metrics.0 {
            let recorded = counts.jobs.entry(metric).or_default();
            *recorded = if prometheus_name(metric).0.ends_with("_total") { *recorded + value } else { value };
        }
    }

    /// Prometheus text format 0.0.4.
    fn text(&self) -> String {
        let counts = self.lock();
        let name = "registry_http_request_duration_seconds";
        let mut text = format!("# HELP {name} Time until an answer.\n# TYPE {name} histogram\n");
        for ((function, status), histogram) in &counts.requests {
            let labels = format!("function=\"{function}\",status=\"{status}\"");
            for (within, bound) in histogram.within.iter().zip(BOUNDS) {
                let _ = writeln!(text, "{name}_bucket{{{labels},le=\"{bound}\"}} {within}");
            }
            let Histogram { count, sum, .. } = histogram;
            let _ = writeln!(text, "{name}_bucket{{{labels},le=\"+Inf\"}} {count}");
            let _ = writeln!(text, "{name}_sum{{{labels}}} {}", sum.as_secs_f64());
            let _ = writeln!(text, "{name}_count{{{labels}}} {count}");
        }
        let mut rows: Vec<_> = counts
            .jobs
            .iter()
            .map(|(metric, value)| (prometheus_name(*metric), help(*metric), value))
            .collect();
        rows.sort_unstable();
        let mut last = "";
        for ((name, labels), help, value) in rows {
            if name != last {
                let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
                let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
                last = name;
            }
            let _ = writeln!(text, "{name}{labels} {value}");
        }
        text
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name and the labels of a metric of the jobs.
const fn prometheus_name(metric: Metric) -> (&'static str, &'static str) {
    match metric {
        Metric::ScheduledTicks => ("registry_scheduled_ticks_total", ""),
        Metric::OldestOverdueRecheck => ("registry_oldest_overdue_recheck_seconds", ""),
        Metric::OldestPendingLeaf => ("registry_oldest_pending_leaf_seconds", ""),
        Metric::OldestUnindexedChange => ("registry_oldest_unindexed_change_seconds", ""),
        Metric::UnreadableLeaves => ("registry_unreadable_leaves", ""),
        Metric::LiveAgents => ("registry_live", "{kind=\"agent\"}"),
        Metric::LiveMcpServers => ("registry_live", "{kind=\"mcp\"}"),
        Metric::ProbesOk => ("registry_probes_total", "{result=\"ok\"}"),
        Metric::ProbesNotOk => ("registry_probes_total", "{result=\"not_ok\"}"),
        Metric::PreflightRejects => ("registry_probes_total", "{result=\"preflight_reject\"}"),
        Metric::VerdictsUnrecorded => ("registry_probes_total", "{result=\"unrecorded\"}"),
        Metric::PublishToProof => ("registry_publish_to_proof_seconds", ""),
        Metric::CanaryFailures => ("registry_canary_failures_total", ""),
        Metric::FlaggedPayments => ("registry_flagged_payments", ""),
    }
}

const fn help(metric: Metric) -> &'static str {
    match metric {
        Metric::ScheduledTicks => "Sweeps that the schedule started and that have finished.",
        Metric::OldestOverdueRecheck => "How long the oldest recheck of a Live listing is overdue.",
        Metric::OldestPendingLeaf => "How long the oldest leaf has waited for the log of evidence.",
        Metric::OldestUnindexedChange => "How long the oldest change has waited for the search index.",
        Metric::UnreadableLeaves => "Leaves that the sequencer set aside.",
        Metric::LiveAgents | Metric::LiveMcpServers => "Live listings.",
        Metric::ProbesOk | Metric::ProbesNotOk | Metric::PreflightRejects | Metric::VerdictsUnrecorded => {
            "Probes by their result."
        }
        Metric::PublishToProof => "Time from publishing to the first good handshake of the newest listing.",
        Metric::CanaryFailures => "Failures of the canary.",
        Metric::FlaggedPayments => "Refunds, disputes and wrong payments of the last 24 hours.",
    }
}

const fn class(status: StatusCode) -> &'static str {
    match status.as_u16() {
        0..=299 => "2xx",
        300..=399 => "3xx",
        400..=499 => "4xx",
        _ => "5xx",
    }
}

async fn observe(
    State((monitor, app)): State<(Monitor, App)>,
    CalledBy(caller): CalledBy,
    request: Request,
    next: Next,
) -> Response {
    let is_operator = operator_token::is_sent(&app, &caller);
    // Also in development mode: a page in a browser on this machine has no token.
    if request.method() == Method::POST && request.uri().path() == "/operator" && is_operator {
        return command(&app, request).await;
    }
    // In public mode, the others are only for the operator: a proxy on this machine connects from loopback for everybody.
    let may_monitor =
        is_operator || app.settings.mode == Mode::Development || request.uri().path() == "/healthz";
    if matches!(*request.method(), Method::GET | Method::HEAD) && may_monitor {
        let headers =
            [(header::CONTENT_TYPE, "text/plain; version=0.0.4"), (header::CACHE_CONTROL, "no-store")];
        match request.uri().path() {
            "/healthz" => return (headers, "ok\n").into_response(),
            "/readyz" => {
                return match unready(&app).await {
                    None => (headers, "ok\n").into_response(),
                    Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, headers, reason).into_response(),
                };
            }
            "/metrics" => return (headers, monitor.text()).into_response(),
            _ => {}
        }
    }
    let began = Instant::now();
    let response = next.run(request).await;
    let function = response.extensions().get().map_or("gateway", |AnsweredBy(function)| function);
    monitor.lock().requests.entry((function, class(response.status()))).or_default().add(began.elapsed());
    response
}

/// Runs a command of the operator in this process, whose caches then show it.
async fn command(app: &App, request: Request) -> Response {
    let body = to_bytes(request.into_body(), MAX_COMMAND_BYTES).await.unwrap_or_default();
    let outcome = match serde_json::from_slice(&body) {
        Ok(command) => takedown::repeat(app, command).await,
        Err(error) => Err(operator::Failure::Command(error)),
    };
    match outcome {
        Ok(outcome) => Json(outcome).into_response(),
        Err(failure) => (StatusCode::UNPROCESSABLE_ENTITY, failure.to_string()).into_response(),
    }
}

/// Why this registry cannot answer requests now.
async fn unready(app: &App) -> Option<&'static str> {
    if app.store.oldest_overdue_recheck(app.clock.now()).await.is_err() {
        return Some("the table does not answer\n");
    }
    app.search.load().await.is_err().then_some("the search index cannot be loaded\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_add_up_and_gauges_keep_the_last_value() {
        let monitor = Monitor::default();
        for (probes, late) in [(2, 90), (3, 40)] {
            let values = [(Metric::ProbesOk, probes), (Metric::OldestPendingLeaf, late)];
            monitor.record(Metrics(values.into()));
        }
        monitor.lock().requests.entry(("talk", "2xx")).or_default().add(Duration::from_millis(50));
        let text = monitor.text();
        for line in [
            "# HELP registry_probes_total Probes by their result.",
            "# TYPE registry_probes_total counter",
            "registry_probes_total{result=\"ok\"} 5",
            "# TYPE registry_oldest_pending_leaf_seconds gauge",
            "registry_oldest_pending_leaf_seconds 40",
            "registry_http_request_duration_seconds_bucket{function=\"talk\",status=\"2xx\",le=\"0.025\"} 0",
            "registry_http_request_duration_seconds_bucket{function=\"talk\",status=\"2xx\",le=\"0.1\"} 1",
            "registry_http_request_duration_seconds_sum{function=\"talk\",status=\"2xx\"} 0.05",
        ] {
            assert!(text.lines().any(|one| one == line), "{line} is not in\n{text}");
        }
    }
}
