//! How a refusal of `list_yourself` is written into a snapshot: in its own words, so that a change of them is seen.

use std::fmt::Write as _;

use serde_json::Value;
use tests::test_registry::TestRegistry;

/// What is said of each body: the refusal, and below it, indented, all inputs in a row that are refused so.
pub(super) async fn refusals(
    registry: &TestRegistry,
    bodies: impl IntoIterator<Item = (String, Value)>,
) -> String {
    let (mut lines, mut last) = (String::new(), String::new());
    for (input, body) in bodies {
        let reply = registry.post("/api/publish", &body).await;
        assert!((400..500).contains(&reply.status), "{input} was not refused: {reply:?}");
        reply.assert_problem();
        assert!(reply.body["field"].is_string() || reply.status == 400, "{input}: no field in {reply:?}");
        let refusal = reply.refusal();
        if refusal != last {
            let _ = writeln!(lines, "{refusal}");
            last = refusal;
        }
        let _ = writeln!(lines, "  `{}`", shown(&input));
    }
    assert_eq!(registry.table().await.keys(), [""; 0], "what is refused leaves nothing");
    lines
}

/// A line that every terminal and every reader of this file shows alike.
fn shown(input: &str) -> String {
    let plain = |c: char| if matches!(c, ' '..='~') { c.to_string() } else { c.escape_unicode().to_string() };
    input.chars().take(100).map(plain).collect()
}
