//! How much of a peer's abilities is kept, in bytes and in all: an item of the table has at most 400 KB, and a text of so
//! many characters may have six times as many bytes. What is kept whole is kept in the peer's own order.

use serde::Serialize;

use registry_model::{Facts, Skill, Tool};

/// The maximum size of skills and tools as stored JSON. A bucket of the search index must fit at least one listing,
/// with texts up to three times as large as here.
const MOST_BYTES: usize = 96 * 1024;

/// Keeps skills and tools while there is room. If one does not fit, only its name is kept.
pub(super) fn bounded(mut facts: Facts) -> Facts {
    let mut left = MOST_BYTES;
    facts.skills = fitting(facts.skills, &mut left, |skill| Skill {
        id: skill.id.clone(),
        name: skill.name.clone(),
        ..Skill::default()
    });
    facts.tools =
        fitting(facts.tools, &mut left, |tool| Tool { name: tool.name.clone(), description: String::new() });
    facts
}

fn fitting<T: Serialize>(all: Vec<T>, left: &mut usize, named: fn(&T) -> T) -> Vec<T> {
    let mut takes = |one: &T| {
        // The comma behind it.
        let bytes = serde_json::to_vec(one).map_or(usize::MAX, |json| json.len().saturating_add(1));
        let rest = left.checked_sub(bytes);
        *left = rest.unwrap_or(*left);
        rest.is_some()
    };
    all.into_iter()
        .filter_map(|one| if takes(&one) { Some(one) } else { Some(named(&one)).filter(|one| takes(one)) })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn tool(name: &str, description: String) -> Tool {
        Tool { name: name.to_owned(), description }
    }

    /// Up to `longest` of the most expensive characters: control characters as JSON escapes, four bytes in UTF-8.
    fn words(longest: usize) -> impl Strategy<Value = String> {
        let one = prop::sample::select(vec!["\u{1}", "\"", "a", "é", "語", "😀"]);
        (one, 0..=longest).prop_map(|(one, times)| one.repeat(times))
    }

    #[test]
    fn what_fits_is_kept_whole_and_in_order() {
        let tools: Vec<Tool> = (0..150).map(|n| tool(&format!("t{n}"), "x".repeat(500))).collect();
        let facts = Facts { tools: tools.clone(), ..Facts::default() };
        assert_eq!(bounded(facts).tools, tools);
    }

    #[test]
    fn a_name_is_kept_where_its_description_does_not_fit() {
        let tools = vec![
            tool("whole", "x".repeat(MOST_BYTES - 200)),
            tool("named", "x".repeat(500)),
            tool("whole too", "x".to_owned()),
        ];
        let kept = bounded(Facts { tools, ..Facts::default() }).tools;
        assert_eq!(kept.len(), 3);
        assert_eq!((kept[1].clone(), kept[2].description.as_str()), (tool("named", String::new()), "x"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn no_peer_fills_an_item(
            tools in vec((words(128), words(500)), 0..200),
            skills in vec((words(120), words(120), words(1000), vec(words(60), 0..20)), 0..100),
        ) {
            let facts = bounded(Facts {
                tools: tools.iter().map(|(name, text)| tool(name, text.clone())).collect(),
                skills: skills
                    .into_iter()
                    .map(|(id, name, description, tags)| Skill { id, name, description, tags })
                    .collect(),
                ..Facts::default()
            });
            let bytes = serde_json::to_vec(&(&facts.skills, &facts.tools)).unwrap().len();
            prop_assert!(bytes <= MOST_BYTES + 16, "{} bytes", bytes);
        }
    }
}
