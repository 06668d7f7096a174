//! Goals come from the owner and from a preset. Without any, they come from the texts of the listing.

use super::words::{sentences, subject, subject_words};
use crate::prelude::*;

/// The goals that the owner and the preset set.
pub fn set(profile: &Profile) -> Vec<String> {
    let own = profile.goals.iter().map(|goal| plain(goal, 200)).filter(|goal| !goal.is_empty());
    let about = subject_words(profile.description.as_deref().unwrap_or_default());
    let topic = match about.get(..2) {
        Some(words) => words.join(" and "),
        None => format!("the subject of {}", about::plain_name(profile)),
    };
    let preset = profile.preset.into_iter().flat_map(|preset| preset.goals(&topic));
    own.take(20).chain(preset).collect()
}

pub fn goals_of(profile: &Profile) -> Vec<String> {
    let abilities = ability::all(profile);
    let purposes = || abilities.iter().take(MAX_ROWS).map(|ability| plain(&ability.purpose(), 200)).collect();
    let described = || {
        let sentences = sentences(profile.description.as_deref().unwrap_or_default());
        sentences.iter().take(6).map(|sentence| plain(sentence, 200)).collect()
    };
    let goals = [set(profile), purposes(), described()];
    goals.into_iter().find(|goals| !goals.is_empty()).unwrap_or_default()
}

/// The ids of the two abilities that share the most words with a goal, best first.
pub(super) fn serving<'a>(goal: &str, abilities: &'a [Ability]) -> Vec<&'a str> {
    let topic = subject(goal);
    let shared = |ability: &Ability| ability.subject.intersection(&topic).count();
    let mut found: Vec<&Ability> = abilities.iter().filter(|ability| shared(ability) > 0).collect();
    found.sort_by_key(|ability| usize::MAX - shared(ability));
    found.into_iter().take(2).map(|ability| ability.id.as_str()).collect()
}
