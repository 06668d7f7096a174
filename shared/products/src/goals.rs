//! Goals with acceptance tests. They come from the owner, from a preset, or from the texts of the listing. A
//! goal is marked if no ability serves it.

use super::ability::{self, Ability, MAX_ROWS};
use super::preset::{Preset, Template};
use super::profile::Profile;
use super::text::plain;
use super::words::{sentences, subject, subject_words};

/// Further goals of an owner are ignored.
const MAX_OWNER_GOALS: usize = 20;

/// A goal and its acceptance test. Contains text of third parties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Goal {
    pub(super) words: String,
    pub(super) by: Vec<String>,
    pub(super) accepted: String,
    pub(super) unserved: bool,
}

/// The goals of the owner and of the preset. If there are none, the goals come from the listing's own texts.
pub(super) fn of(profile: &Profile, abilities: &[Ability]) -> Vec<Goal> {
    let own = profile.goals.iter().map(|goal| plain(goal, 200)).filter(|goal| !goal.is_empty());
    let mut goals: Vec<Goal> =
        own.take(MAX_OWNER_GOALS).map(|goal| of_owner(goal, profile, abilities)).collect();
    if let Some(preset) = profile.preset {
        goals.extend(of_preset(preset, profile, abilities));
    }
    if goals.is_empty() {
        goals = abilities.iter().take(MAX_ROWS).map(of_ability).collect();
    }
    if goals.is_empty() {
        goals = of_description(profile);
    }
    goals
}

pub fn goals_of(profile: &Profile) -> Vec<String> {
    of(profile, &ability::all(profile)).into_iter().map(|goal| goal.words).collect()
}

/// The abilities that share the most words with a text, best first.
fn serving<'a>(text: &str, abilities: &'a [Ability], most: usize) -> Vec<&'a Ability> {
    let topic = subject(text);
    let mut found: Vec<(usize, usize)> = abilities
        .iter()
        .enumerate()
        .map(|(index, ability)| (ability.subject.intersection(&topic).count(), index))
        .filter(|(shared, _)| *shared > 0)
        .collect();
    found.sort_by_key(|(shared, index)| (usize::MAX - shared, *index));
    found.into_iter().take(most).filter_map(|(_, index)| abilities.get(index)).collect()
}

fn of_owner(words: String, profile: &Profile, abilities: &[Ability]) -> Goal {
    let serving = serving(&words, abilities, 2);
    let Some(first) = serving.first() else {
        let about = subject_words(&words).into_iter().take(4).collect::<Vec<_>>().join(", ");
        let noun = ability::noun(profile);
        let accepted = if abilities.is_empty() {
            format!("first name the {noun} that serves this goal: none is known")
        } else {
            format!(
                "first add a {noun} that serves this goal: none of the {} mentions {about}",
                abilities.len()
            )
        };
        return Goal { words, by: Vec::new(), accepted, unserved: true };
    };
    let accepted =
        format!("a request for this goal leads to a call of {}, and its result is the answer", first.id);
    Goal { words, by: serving.iter().map(|ability| ability.id.clone()).collect(), accepted, unserved: false }
}

fn of_preset(preset: Preset, profile: &Profile, abilities: &[Ability]) -> Vec<Goal> {
    let name = plain(&profile.name, 80);
    let about = abilities.iter().flat_map(Ability::topics);
    let topics: Vec<String> = subject_words(profile.description.as_deref().unwrap_or_default())
        .into_iter()
        .take(2)
        .chain(about)
        .take(2)
        .collect();
    let topic = if topics.is_empty() { format!("{name}'s subject") } else { topics.join(" and ") };
    let fill = |template: &Template| {
        let by = serving(template.words, abilities, 1);
        let by_name = by.first().map_or_else(|| name.clone(), |ability| ability.id.clone());
        // One pass, so that a placeholder inside a name is not filled.
        let fill_in = |text: &str| {
            let mut filled = String::new();
            let mut rest = text;
            while let Some((before, after)) = rest.split_once('{') {
                let (place, after) = after.split_once('}').unwrap_or((after, ""));
                filled.push_str(before);
                filled.push_str(match place {
                    "name" => &name,
                    "by" => &by_name,
                    _ => &topic,
                });
                rest = after;
            }
            filled + rest
        };
        Goal {
            words: fill_in(template.goal),
            accepted: fill_in(template.accepted),
            unserved: by.is_empty() && !abilities.is_empty(),
            by: by.iter().map(|ability| ability.id.clone()).collect(),
        }
    };
    preset.templates().iter().map(fill).collect()
}

fn of_ability(ability: &Ability) -> Goal {
    let accepted = format!("a call of {} returns what its description promises", ability.id);
    Goal { words: plain(&ability.purpose(), 200), by: vec![ability.id.clone()], accepted, unserved: false }
}

fn of_description(profile: &Profile) -> Vec<Goal> {
    let sentences = sentences(profile.description.as_deref().unwrap_or_default());
    let goal = |words: String| {
        let about = subject_words(&words).into_iter().take(4).collect::<Vec<_>>().join(", ");
        let accepted = format!(
            "one real request about {about} gives the result that the goal describes; keep the request and \
             the answer as evidence"
        );
        Goal { words: plain(&words, 200), by: Vec::new(), accepted, unserved: false }
    };
    sentences.into_iter().take(6).map(goal).collect()
}
