//! The metrics of scheduled jobs, for alarms and log queries. They are written to the log in the format
//! that `CloudWatch` reads. They are separate from the log messages, so that no alarm depends on the log
//! level or on the wording of a message.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Moment;

/// The `CloudWatch` namespace of all metrics.
pub const NAMESPACE: &str = "AgentAndMcpRegistry";

/// The dimension that distinguishes stacks: the name of the reporting function.
pub const DIMENSION: &str = "FunctionName";

string_enum! {
    /// A number that a job reports.
    pub enum Metric {
        /// A sweep that the schedule started has finished. Sweeps started by events do not count: publishing would hide
        /// a schedule that has stopped.
        ScheduledTicks = "ScheduledTicks",
        /// Seconds by which the oldest recheck of a Live listing is overdue; 0 if none is.
        OldestOverdueRecheck = "OldestOverdueRecheck",
        /// Seconds for which the oldest leaf has waited for the log of evidence; 0 if none waits.
        OldestPendingLeaf = "OldestPendingLeaf",
        /// Seconds for which the oldest change of a listing has waited for the search index; 0 if none waits.
        OldestUnindexedChange = "OldestUnindexedChange",
        /// Leaves that the sequencer set aside because they cannot be read.
        UnreadableLeaves = "UnreadableLeaves",
        LiveAgents = "LiveAgents",
        LiveMcpServers = "LiveMcpServers",
        /// Probes with an `ok` handshake.
        ProbesOk = "ProbesOk",
        /// Probes that failed after the preflight.
        ProbesNotOk = "ProbesNotOk",
        /// Listings that failed the preflight, which uses no budget.
        PreflightRejects = "PreflightRejects",
        /// Verdicts that were not recorded because the table was busy; these listings are probed again.
        VerdictsUnrecorded = "VerdictsUnrecorded",
        /// Seconds from the request that published a listing to its first `ok` handshake.
        PublishToProof = "PublishToProof",
        /// 1 if the canary failed, 0 if it did not.
        CanaryFailures = "CanaryFailures",
        /// Refunds, disputes and wrong payments of the last 24 hours.
        FlaggedPayments = "FlaggedPayments",
    }
}

impl Metric {
    const fn unit(self) -> &'static str {
        match self {
            Self::OldestOverdueRecheck
            | Self::OldestPendingLeaf
            | Self::OldestUnindexedChange
            | Self::PublishToProof => "Seconds",
            _ => "Count",
        }
    }

    /// Whether an alarm watches it. Only these are metrics of `CloudWatch`, because each costs 0.30 USD a month; the others are
    /// members of the same log line.
    pub const fn has_alarm(self) -> bool {
        matches!(
            self,
            Self::ScheduledTicks
                | Self::OldestOverdueRecheck
                | Self::OldestPendingLeaf
                | Self::OldestUnindexedChange
                | Self::CanaryFailures
                | Self::FlaggedPayments
        )
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metrics(pub BTreeMap<Metric, i64>);

impl Metrics {
    /// One line of the log in the embedded metric format (Amazon `CloudWatch` user guide, "Specification: Embedded
    /// metric format").
    pub fn embedded(&self, function: &str, at: Moment) -> Value {
        let watched = self.0.keys().filter(|metric| metric.has_alarm());
        let definitions: Vec<Value> =
            watched.map(|metric| json!({ "Name": metric.as_str(), "Unit": metric.unit() })).collect();
        let mut line = json!({ DIMENSION: function });
        if !definitions.is_empty() {
            line["_aws"] = json!({
                "Timestamp": at.as_millisecond(),
                "CloudWatchMetrics": [
                    { "Namespace": NAMESPACE, "Dimensions": [[DIMENSION]], "Metrics": definitions },
                ],
            });
        }
        for (metric, value) in &self.0 {
            line[metric.as_str()] = json!(value);
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_line_declares_the_metrics_with_an_alarm() {
        let metrics = Metrics(BTreeMap::from([
            (Metric::ScheduledTicks, 1),
            (Metric::OldestOverdueRecheck, 90),
            (Metric::ProbesOk, 7),
        ]));
        let line = metrics.embedded("tick", "2026-11-20T12:00:00Z".parse().unwrap());
        let directive = &line["_aws"]["CloudWatchMetrics"][0];
        assert_eq!(line["_aws"]["Timestamp"], 1_795_176_000_000_i64);
        assert_eq!(directive["Dimensions"], json!([["FunctionName"]]));
        let declared =
            directive["Metrics"].as_array().unwrap().iter().map(|metric| metric["Name"].as_str().unwrap());
        assert!(declared.eq(["ScheduledTicks", "OldestOverdueRecheck"]), "{line}");
        assert_eq!((&line["FunctionName"], &line["OldestOverdueRecheck"]), (&json!("tick"), &json!(90)));
        assert_eq!(line["ProbesOk"], 7);

        let without_alarm = Metrics(BTreeMap::from([(Metric::ProbesOk, 7)]));
        let line = without_alarm.embedded("recheck", "2026-11-20T12:00:00Z".parse().unwrap());
        assert_eq!(line, json!({ "FunctionName": "recheck", "ProbesOk": 7 }));
    }
}
