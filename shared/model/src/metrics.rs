//! What a scheduled job reports for alarms and the dashboard: numbers by name, in the format that `CloudWatch` reads off
//! the log. Apart from the log in words, because an alarm must depend neither on its level nor on its wording.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Moment;

/// The `CloudWatch` namespace of all of them.
pub const NAMESPACE: &str = "AgentAndMcpRegistry";

/// The dimension by which stacks are told apart: the function that reports.
pub const DIMENSION: &str = "FunctionName";

/// A number that an alarm watches, or the dashboard shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Metric {
    /// A sweep that the schedule started came to its end. Sweeps that events start do not count: publishing would
    /// hide a schedule that stands still.
    ScheduledTicks,
    /// Seconds for which the longest waiting Live listing has been due for its recheck; 0 where none waits.
    OldestOverdueRecheck,
    /// Seconds for which the oldest leaf has waited to be taken up into the log of evidence; 0 where none waits.
    OldestPendingLeaf,
    /// Agents that are Live.
    LiveAgents,
    /// MCP servers that are Live.
    LiveMcpServers,
    /// Probes that ended with a handshake that is `ok`.
    ProbesOk,
    /// Probes that ended otherwise, after the preflight.
    ProbesNotOk,
    /// Listings that ended at the preflight, which takes no budget.
    PreflightRejects,
    /// Verdicts that could not be recorded because the table was busy; they are asked for again.
    VerdictsUnrecorded,
}

impl Metric {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::ScheduledTicks,
        Self::OldestOverdueRecheck,
        Self::OldestPendingLeaf,
        Self::LiveAgents,
        Self::LiveMcpServers,
        Self::ProbesOk,
        Self::ProbesNotOk,
        Self::PreflightRejects,
        Self::VerdictsUnrecorded,
    ];

    /// Its name in `CloudWatch`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ScheduledTicks => "ScheduledTicks",
            Self::OldestOverdueRecheck => "OldestOverdueRecheck",
            Self::OldestPendingLeaf => "OldestPendingLeaf",
            Self::LiveAgents => "LiveAgents",
            Self::LiveMcpServers => "LiveMcpServers",
            Self::ProbesOk => "ProbesOk",
            Self::ProbesNotOk => "ProbesNotOk",
            Self::PreflightRejects => "PreflightRejects",
            Self::VerdictsUnrecorded => "VerdictsUnrecorded",
        }
    }

    const fn unit(self) -> &'static str {
        match self {
            Self::OldestOverdueRecheck | Self::OldestPendingLeaf => "Seconds",
            Self::ScheduledTicks
            | Self::LiveAgents
            | Self::LiveMcpServers
            | Self::ProbesOk
            | Self::ProbesNotOk
            | Self::PreflightRejects
            | Self::VerdictsUnrecorded => "Count",
        }
    }
}

/// The numbers of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metrics(pub BTreeMap<Metric, i64>);

impl Metrics {
    /// One line of the log in the embedded metric format (Amazon `CloudWatch` user guide, "Specification: Embedded
    /// metric format").
    #[must_use]
    pub fn embedded(&self, function: &str, at: Moment) -> Value {
        let told: Vec<Value> =
            self.0.keys().map(|metric| json!({ "Name": metric.name(), "Unit": metric.unit() })).collect();
        let mut line = json!({
            "_aws": {
                "Timestamp": at.as_millisecond(),
                "CloudWatchMetrics": [
                    { "Namespace": NAMESPACE, "Dimensions": [[DIMENSION]], "Metrics": told },
                ],
            },
            DIMENSION: function,
        });
        for (metric, value) in &self.0 {
            line[metric.name()] = json!(value);
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_declares_what_it_holds() {
        let metrics =
            Metrics(BTreeMap::from([(Metric::ScheduledTicks, 1), (Metric::OldestOverdueRecheck, 90)]));
        let line = metrics.embedded("tick", "2026-11-20T12:00:00Z".parse().unwrap());
        let directive = &line["_aws"]["CloudWatchMetrics"][0];
        assert_eq!(
            (&line["_aws"]["Timestamp"], &directive["Dimensions"]),
            (&json!(1_795_176_000_000_i64), &json!([["FunctionName"]]))
        );
        for told in directive["Metrics"].as_array().unwrap() {
            assert!(line[told["Name"].as_str().unwrap()].is_number(), "{line}");
        }
        assert_eq!((&line["FunctionName"], &line["OldestOverdueRecheck"]), (&json!("tick"), &json!(90)));
    }

    #[test]
    fn a_report_carries_them_by_their_names() {
        for metric in Metric::ALL {
            let metrics = Metrics(BTreeMap::from([(metric, 7)]));
            let written = serde_json::to_value(&metrics).unwrap();
            assert_eq!(written, json!({ metric.name(): 7 }));
            assert_eq!(serde_json::from_value::<Metrics>(written).unwrap(), metrics);
        }
    }
}
