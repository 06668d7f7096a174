use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use registry_model::ParameterType;

#[test]
fn worst_fault_decides_the_outcome_and_warnings_are_ignored() {
    let mut findings = Findings::default();
    findings.warning(ProbeFault::NoInterface.reason("advice"));
    assert_eq!(findings.clone().into_verdict().handshake, Handshake::Ok);
    findings.broken(&[ConformanceRule::Caching, ConformanceRule::Caching], "no ttlMs");
    findings.broken(&[ConformanceRule::Caching], "no ttlMs elsewhere");
    assert_eq!(findings.clone().into_verdict().handshake, Handshake::Partial);
    findings.fault(&ProbeFault::BadJsonRpc, "id 9");
    let verdict = findings.into_verdict();
    assert_eq!(verdict.handshake, Handshake::Fail);
    let codes: Vec<_> = verdict.reasons.iter().map(|r| r.code.as_str()).collect();
    assert_eq!(codes, ["nonconforming:caching", "bad_jsonrpc", "no_interface"], "once, warnings last");
}

fn tool(name: &str, description: String) -> Tool {
    Tool { name: name.to_owned(), description, ..Tool::default() }
}

/// Up to `longest` of the most expensive characters: control characters as JSON escapes, four bytes in UTF-8.
fn words(longest: usize) -> impl Strategy<Value = String> {
    let one = prop::sample::select(vec!["\u{1}", "\"", "a", "é", "語", "😀"]);
    (one, 0..=longest).prop_map(|(one, times)| one.repeat(times))
}

#[test]
fn abilities_within_the_size_limit_are_kept_unchanged_and_in_order() {
    let tools: Vec<Tool> = (0..150).map(|n| tool(&format!("t{n}"), "x".repeat(500))).collect();
    let facts = Facts { tools: tools.clone(), ..Facts::default() };
    assert_eq!(bounded(facts).tools, tools);
}

#[test]
fn ability_name_is_kept_if_the_description_is_too_long() {
    let tools = vec![
        tool("whole", "x".repeat(MAX_ABILITY_BYTES - 200)),
        tool("named", "x".repeat(500)),
        tool("whole too", "x".to_owned()),
    ];
    let kept = bounded(Facts { tools, ..Facts::default() }).tools;
    assert_eq!(kept.len(), 3);
    assert_eq!((kept[1].clone(), kept[2].description.as_str()), (tool("named", String::new()), "x"));
}

fn parameter(name: &str) -> ToolParameter {
    ToolParameter { name: name.to_owned(), value: ParameterType::String, required: true }
}

#[test]
fn parameters_never_take_the_room_of_descriptions() {
    let tools: Vec<Tool> = (0..150)
        .map(|n| Tool {
            parameters: vec![parameter(&"p".repeat(64)); 16],
            ..tool(&format!("t{n}"), "x".repeat(500))
        })
        .collect();
    let kept = bounded(Facts { tools, ..Facts::default() }).tools;
    assert!(kept.iter().all(|tool| tool.description.len() == 500));
    assert_eq!((kept.len(), kept[0].parameters.len(), kept[149].parameters.len()), (150, 16, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn kept_abilities_fit_into_one_table_item(
        tools in vec((words(128), words(500), vec(words(64), 0..16)), 0..200),
        skills in vec((words(120), words(120), words(1000), vec(words(60), 0..20)), 0..100),
    ) {
        let facts = bounded(Facts {
            tools: tools
                .iter()
                .map(|(name, text, parameters)| Tool {
                    parameters: parameters.iter().map(|name| parameter(name)).collect(),
                    ..tool(name, text.clone())
                })
                .collect(),
            skills: skills
                .into_iter()
                .map(|(id, name, description, tags)| Skill { id, name, description, tags })
                .collect(),
            ..Facts::default()
        });
        let bytes = serde_json::to_vec(&(&facts.skills, &facts.tools)).unwrap().len();
        prop_assert!(bytes <= MAX_ABILITY_BYTES + 16, "{} bytes", bytes);
    }
}
