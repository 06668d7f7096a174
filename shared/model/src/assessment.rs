//! What the registry concludes from one probe: the checks, the score, and the record for statistics. The rules of the
//! checks are in `probe::checks` (`specification.md#checks`). The score is computed in `probe::score`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AbilityChange, Handshake, Kind, ListingId, Moment, Verdict};

/// What the last probe of a listing found, as status shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    pub verdict: Verdict,
    pub checks: Vec<Check>,
    pub score: Score,
    pub probed_at: Moment,
    /// The latest change of its tools or skills, seen by this probe or an earlier one. Not part of the stored evidence:
    /// what a probe saw does not depend on what changed.
    #[serde(skip)]
    pub changed: Option<AbilityChange>,
}

impl Assessment {
    /// The stored evidence, which leaves of the log commit to: canonical JSON (RFC 8785).
    pub fn canonical(&self) -> Result<String, serde_json::Error> {
        serde_json_canonicalizer::to_string(self)
    }

    /// Whether no blocking check fails (`checks_clean` in `specification.md#checks`); false before there are checks.
    pub fn is_clean(&self) -> bool {
        !self.checks.is_empty() && self.checks.iter().all(|check| check.ok || !check.blocking)
    }

    /// Whether a text failed a check. Such texts are shown only as evidence: the listing keeps its earlier texts.
    pub fn has_bad_texts(&self) -> bool {
        let is_of_texts = |id: &str| matches!(id, "text_sane" | "no_injection");
        self.checks.iter().any(|check| !check.ok && is_of_texts(&check.id))
    }

    /// Whether the server asks for a sign-in, every part of the sign-in is correct, and nothing else is wrong.
    pub fn proves_sign_in(&self) -> bool {
        self.verdict.handshake == Handshake::Partial
            && self.verdict.facts.sign_in.is_some()
            && self.is_clean()
    }
}

/// One check and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// The name of the check: `https`, `card_valid`, `interface_domain`, `text_sane`, `no_injection`, `endpoint_unique`
    /// or `tools_unchanged`.
    pub id: String,
    /// Whether the check passed. It is also true if the check does not apply.
    pub ok: bool,
    /// Whether the listing cannot be Live while this check fails.
    pub blocking: bool,
    /// Whether it applies to the listing. Absent if it does.
    #[serde(default = "applies", skip_serializing_if = "Clone::clone")]
    #[schemars(default)]
    pub applies: bool,
    /// What was found, for the owner of the listing.
    pub detail: String,
}

const fn applies() -> bool {
    true
}

impl Check {
    #[must_use]
    pub fn not_applicable(id: &str, why: &str) -> Self {
        let detail = format!("Does not apply: {why}");
        Self { id: id.to_owned(), ok: true, blocking: true, applies: false, detail }
    }
}

/// A score with its parts, so that its owner can see what to improve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// 0 to 100: the sum of the parts' points.
    #[schemars(range(max = 100))]
    pub value: u8,
    /// The parts; their maximums sum to 100.
    pub breakdown: Vec<ScorePart>,
}

/// One part of a score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScorePart {
    /// The name of the part: `handshake`, `answers`, `latency`, `protocol`, `description`, `abilities`, `identity` or
    /// `checks`.
    pub id: String,
    /// The points that the listing got for this part.
    pub points: u8,
    /// The maximum number of points for this part.
    pub of: u8,
    /// What was found.
    pub why: String,
}

/// One probe in the statistics (`recent[]` and `fail_samples[]`), kept for 91 days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeRecord {
    pub id: ListingId,
    /// While it is unknown, `mcp` for a usual path of MCP endpoints, else `agent`.
    pub kind: Kind,
    /// What was probed.
    pub target: String,
    /// Whether the handshake was `ok`.
    pub ok: bool,
    /// Milliseconds of the handshake; null where nothing was answered.
    pub latency_ms: Option<u32>,
    /// 0 to 100.
    pub score: u8,
    /// Short findings.
    pub signals: Vec<String>,
    pub handshake: Handshake,
    /// Protocols seen.
    pub protocol_hints: Vec<String>,
    #[schemars(with = "String")]
    pub probed_at: Moment,
    /// Why it did not pass: the code of the first reason or failed check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The same in the words of `reasons[].reason`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl ProbeRecord {
    /// The signal of a gated server whose sign-in is correct.
    pub const SIGN_IN_PROVEN: &str = "sign_in_proven";

    /// Whether it is a proof: `ok` without a failed check, which would be a reason, or a correct sign-in.
    pub fn is_proof(&self) -> bool {
        self.ok && self.reason.is_none() || self.signals.iter().any(|signal| signal == Self::SIGN_IN_PROVEN)
    }
}
