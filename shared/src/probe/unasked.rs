//! Verdicts on what cannot be asked at all: nothing leaves for a server that runs on its user's machine, needs a
//! secret, or stands at an address that is never called.

use serde::{Deserialize, Serialize};

use crate::listing::Kind;
use crate::probe::fetch::TargetError;
use crate::probe::reasons::{Barrier, Fault, Stage};
use crate::probe::verdict::{Facts, Verdict};

/// Why a server description leads to nothing that can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Obstacle {
    /// It has packages and no remote.
    StdioOnly,
    /// The remote's URL holds placeholders.
    TemplatedUrl,
    /// A required header has no value: a secret of its user.
    NeedsSecret,
}

/// The verdict on a listing with an obstacle.
#[must_use]
pub fn hindered(obstacle: Obstacle, kind: Option<Kind>) -> Verdict {
    let fault = match obstacle {
        Obstacle::StdioOnly => Fault::StdioOnly,
        Obstacle::TemplatedUrl => Fault::Templated,
        Obstacle::NeedsSecret => Fault::NeedsConfig,
    };
    verdict(&fault, "", kind)
}

/// The verdict on a URL that was stored under other rules and may not be called under these.
#[must_use]
pub fn refused(error: &TargetError, kind: Option<Kind>) -> Verdict {
    verdict(&Fault::Unreached { stage: Stage::Preflight, barrier: Barrier::Url }, &error.to_string(), kind)
}

fn verdict(fault: &Fault, seen: &str, kind: Option<Kind>) -> Verdict {
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
