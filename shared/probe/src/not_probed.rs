//! Verdicts on what cannot be asked at all: nothing leaves for a server that runs on its user's machine, needs a
//! secret, or has an address that is never called.

use crate::reasons::{ConnectError, ProbeFault, Stage};
use registry_fetch::TargetError;
use registry_model::{Facts, Kind, Obstacle, Verdict};

#[must_use]
pub fn for_obstacle(obstacle: Obstacle, kind: Option<Kind>) -> Verdict {
    let fault = match obstacle {
        Obstacle::StdioOnly => ProbeFault::StdioOnly,
        Obstacle::TemplatedUrl => ProbeFault::Templated,
        Obstacle::NeedsSecret => ProbeFault::NeedsConfig,
    };
    verdict(&fault, "", kind)
}

/// For a URL that was stored under other rules and may not be called now.
#[must_use]
pub fn for_refused_url(error: &TargetError, kind: Option<Kind>) -> Verdict {
    verdict(
        &ProbeFault::Unreached { stage: Stage::Preflight, cause: ConnectError::Url },
        &error.to_string(),
        kind,
    )
}

fn verdict(fault: &ProbeFault, seen: &str, kind: Option<Kind>) -> Verdict {
    let class = fault.class();
    Verdict {
        handshake: class.handshake,
        reasons: vec![fault.reason(seen)],
        inconclusive: class.inconclusive,
        retry_after: None,
        speaks: false,
        answers: None,
        latency_ms: None,
        signals: vec!["not_asked".to_owned()],
        protocol_hints: Vec::new(),
        facts: Facts { kind, ..Facts::default() },
    }
}
