//! Formats refusals of `list_yourself` for snapshots, in full, so that a test fails when a text changes.

use std::fmt::Write as _;

use serde_json::Value;
use tests::test_registry::TestRegistry;

/// The refusal of each body. Consecutive inputs with the same refusal are listed, indented, below it.
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
    assert_eq!(registry.table().await.keys(), [""; 0], "a refused body wrote to the table");
    lines
}

/// The start of the input, with escapes for all characters that terminals and editors may show differently.
fn shown(input: &str) -> String {
    let printable =
        |c: char| if matches!(c, ' '..='~') { c.to_string() } else { c.escape_unicode().to_string() };
    input.chars().take(100).map(printable).collect()
}
