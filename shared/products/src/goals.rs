//! Goals with acceptance tests: the owner's, those of a preset, or those that the listing's own texts promise. A goal that
//! no ability serves is said to be so; nothing is promised that the listing does not say.

use super::ability::{self, Ability, Effect, MOST_ROWS};
use super::preset::{Preset, Template};
use super::profile::Profile;
use super::text::plain;
use super::words::{sentences, subject, telling};

/// The most goals of an owner that are taken.
const MOST_OWN: usize = 20;

/// Something to reach, and how one sees that it is reached. Plain text of strangers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Goal {
    pub(super) words: String,
    pub(super) by: Vec<String>,
    pub(super) accepted: String,
    pub(super) unserved: bool,
}

/// The goals of a profile: its owner's and its preset's, else those of its own texts.
pub(super) fn of(profile: &Profile, abilities: &[Ability]) -> Vec<Goal> {
    let own = profile.goals.iter().map(|goal| plain(goal, 200)).filter(|goal| !goal.is_empty());
    let mut goals: Vec<Goal> = own.take(MOST_OWN).map(|goal| of_owner(goal, profile, abilities)).collect();
    if let Some(preset) = profile.preset {
        goals.extend(of_preset(preset, profile, abilities));
    }
    if goals.is_empty() {
        goals = abilities.iter().take(MOST_ROWS).map(of_ability).collect();
    }
    if goals.is_empty() {
        goals = of_description(profile);
    }
    goals
}

#[must_use]
pub fn goals_of(profile: &Profile) -> Vec<String> {
    of(profile, &ability::all(profile)).into_iter().map(|goal| goal.words).collect()
}

/// The abilities that share most words with a text, the best first.
fn serving<'a>(text: &str, abilities: &'a [Ability], most: usize) -> Vec<&'a Ability> {
    let wanted = subject(text);
    let mut found: Vec<(usize, usize)> = abilities
        .iter()
        .enumerate()
        .map(|(index, ability)| (ability.subject.intersection(&wanted).count(), index))
        .filter(|(shared, _)| *shared > 0)
        .collect();
    found.sort_by_key(|(shared, index)| (usize::MAX - shared, *index));
    found.into_iter().take(most).filter_map(|(_, index)| abilities.get(index)).collect()
}

fn of_owner(words: String, profile: &Profile, abilities: &[Ability]) -> Goal {
    let serving = serving(&words, abilities, 2);
    let Some(first) = serving.first() else {
        let about = telling(&words).into_iter().take(4).collect::<Vec<_>>().join(", ");
        let noun = ability::noun(profile);
        let accepted = if abilities.is_empty() {
            format!("first name the {noun} that serves it: none of this one's is known")
        } else {
            format!("first add a {noun} that serves it: none of the {} says {about}", abilities.len())
        };
        return Goal { words, by: Vec::new(), accepted, unserved: true };
    };
    let shown = first.promises().into_iter().next().unwrap_or_else(|| first.purpose());
    let accepted =
        format!("a request for it ends through {}, and the answer shows: {}", first.id, plain(&shown, 200));
    Goal { words, by: serving.iter().map(|ability| ability.id.clone()).collect(), accepted, unserved: false }
}

fn of_preset(preset: Preset, profile: &Profile, abilities: &[Ability]) -> Vec<Goal> {
    let name = plain(&profile.name, 80);
    let about = abilities.iter().flat_map(Ability::topics);
    let topics: Vec<String> = telling(profile.description.as_deref().unwrap_or_default())
        .into_iter()
        .take(2)
        .chain(about)
        .take(2)
        .collect();
    let topic = if topics.is_empty() { format!("{name}'s subject") } else { topics.join(" and ") };
    let fill = |template: &Template| {
        let by = serving(template.words, abilities, 1);
        let by_name = by.first().map_or_else(|| name.clone(), |ability| ability.id.clone());
        // One pass, so that a name with a place in it opens none.
        let put = |text: &str| {
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
            words: put(template.goal),
            accepted: put(template.accepted),
            unserved: by.is_empty() && !abilities.is_empty(),
            by: by.iter().map(|ability| ability.id.clone()).collect(),
        }
    };
    preset.templates().iter().map(fill).collect()
}

fn of_ability(ability: &Ability) -> Goal {
    let promises = ability.promises();
    let topics = ability.topics().join(", ");
    let accepted = if ability.description.is_empty() {
        format!("its description says what {} returns (it has none), and a call returns that", ability.id)
    } else if !promises.is_empty() {
        let shown: Vec<String> = promises.iter().take(3).map(|promise| plain(promise, 200)).collect();
        format!("one real call of {} shows: {}", ability.id, shown.join("; "))
    } else if let Effect::Acts(verb) = ability.effect() {
        format!(
            "a request for {} with an input missing is asked back for it, and nothing is done ({verb}) before a yes",
            ability.title
        )
    } else {
        format!(
            "one real call of {} answers a request on {topics} with what the goal says, and a wrong input is answered with what is wrong about it",
            ability.id
        )
    };
    Goal { words: plain(&ability.purpose(), 200), by: vec![ability.id.clone()], accepted, unserved: false }
}

fn of_description(profile: &Profile) -> Vec<Goal> {
    let sentences = sentences(profile.description.as_deref().unwrap_or_default());
    let goal = |words: String| {
        let about = telling(&words).into_iter().take(4).collect::<Vec<_>>().join(", ");
        let accepted = format!(
            "one real request on {about} ends as the goal says, and request and answer are kept as the proof"
        );
        Goal { words: plain(&words, 200), by: Vec::new(), accepted, unserved: false }
    };
    sentences.into_iter().take(6).map(goal).collect()
}
