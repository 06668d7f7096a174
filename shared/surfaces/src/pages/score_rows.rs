//! The rows of checks and of the parts of a score, on the page of a listing and in the report of a score.

use super::chart::{self, Drawing};
use registry_model::{Check, ScorePart};

/// A check, and how to pass it if it failed.
pub(super) type CheckRow = (Check, Option<String>);

pub(super) fn check_row(check: &Check, fix: Option<String>) -> CheckRow {
    (check.clone(), fix.filter(|_| !check.ok))
}

pub(super) type PartRow = (ScorePart, Drawing);

pub(super) fn part_row(part: &ScorePart) -> PartRow {
    (part.clone(), chart::share("good", part.points.into(), part.of.into()))
}
