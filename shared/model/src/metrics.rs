//! The metrics of scheduled jobs, for alarms and the dashboard. They are written to the log in the format
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
    /// A number that an alarm watches or the dashboard shows.
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
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metrics(pub BTreeMap<Metric, i64>);

impl Metrics {
    /// One line of the log in the embedded metric format (Amazon `CloudWatch` user guide, "Specification: Embedded
    /// metric format").
    pub fn embedded(&self, function: &str, at: Moment) -> Value {
        let definitions: Vec<Value> =
            self.0.keys().map(|metric| json!({ "Name": metric.as_str(), "Unit": metric.unit() })).collect();
        let mut line = json!({
            "_aws": {
                "Timestamp": at.as_millisecond(),
                "CloudWatchMetrics": [
                    { "Namespace": NAMESPACE, "Dimensions": [[DIMENSION]], "Metrics": definitions },
                ],
            },
            DIMENSION: function,
        });
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
    fn each_log_line_declares_its_metrics() {
        let metrics =
            Metrics(BTreeMap::from([(Metric::ScheduledTicks, 1), (Metric::OldestOverdueRecheck, 90)]));
        let line = metrics.embedded("tick", "2026-11-20T12:00:00Z".parse().unwrap());
        let directive = &line["_aws"]["CloudWatchMetrics"][0];
        assert_eq!(line["_aws"]["Timestamp"], 1_795_176_000_000_i64);
        assert_eq!(directive["Dimensions"], json!([["FunctionName"]]));
        for metric in directive["Metrics"].as_array().unwrap() {
            assert!(line[metric["Name"].as_str().unwrap()].is_number(), "{line}");
        }
        assert_eq!((&line["FunctionName"], &line["OldestOverdueRecheck"]), (&json!("tick"), &json!(90)));
    }
}
