//! The rows of checks and of the parts of a score, on the page of a listing and in the report of a score.

use super::chart::{self, Drawing};
use registry_model::{Check, ScorePart};

pub(super) struct CheckRow {
    pub(super) id: String,
    pub(super) ok: bool,
    pub(super) applies: bool,
    pub(super) blocking: bool,
    pub(super) detail: String,
    pub(super) fix: Option<String>,
}

impl CheckRow {
    /// `fix` says how to pass a check that failed.
    pub(super) fn of(check: &Check, fix: Option<String>) -> Self {
        Self {
            id: check.id.replace('_', " "),
            ok: check.ok,
            applies: check.applies(),
            blocking: check.blocking,
            detail: check.detail.clone(),
            fix: fix.filter(|_| !check.ok),
        }
    }
}

pub(super) struct PartRow {
    pub(super) part: ScorePart,
    pub(super) bar: Drawing,
}

impl PartRow {
    pub(super) fn of(part: &ScorePart) -> Self {
        Self { bar: chart::share("good", part.points.into(), part.of.into()), part: part.clone() }
    }
}
