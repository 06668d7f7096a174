//! Goals come from the owner and from a preset.

use registry_model::Sku;

use super::preset::Preset;
use super::words::{subject, subject_words};
use crate::prelude::*;

pub const MAX_GOAL_CHARS: usize = 300;

/// The goals of a product. The goals of a preset are only for a charter, which `mcp_mesh` does not have.
pub fn chosen(sku: Sku, profile: &Profile) -> Vec<String> {
    with_preset(profile, profile.preset.filter(|_| sku != Sku::McpMesh))
}

pub(super) fn with_preset(profile: &Profile, preset: Option<Preset>) -> Vec<String> {
    let own = profile.goals.iter().map(|goal| plain(goal, MAX_GOAL_CHARS)).filter(|goal| !goal.is_empty());
    let about = subject_words(profile.description.as_deref().unwrap_or_default());
    let topic = match about.get(..2) {
        Some(words) => words.join(" and "),
        None => format!("the subject of {}", about::plain_name(profile)),
    };
    own.take(20).chain(preset.into_iter().flat_map(|preset| preset.goals(&topic))).collect()
}

/// The ids of the two abilities that have the most words in common with a goal, best first.
pub(super) fn serving<'a>(goal: &str, abilities: &'a [Ability]) -> Vec<&'a str> {
    let topic = subject(goal);
    let common = |ability: &Ability| ability.subject.intersection(&topic).count();
    let mut found: Vec<&Ability> = abilities.iter().filter(|ability| common(ability) > 0).collect();
    found.sort_by_key(|ability| usize::MAX - common(ability));
    found.into_iter().take(2).map(|ability| ability.id.as_str()).collect()
}
