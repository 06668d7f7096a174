use super::*;

#[test]
fn finding_is_on_the_line_of_the_member_that_it_names() {
    let card = r#"{
        "name": "x",
        "skills": [
            { "id": "a", "a.b": { "c": 1 } },
            {
                "id": ""
            }
        ]
    }"#;
    for (finding, line) in [
        (json!({ "path": "skills[1].id" }), Some(6)),
        (json!({ "path": "skills[1].tags" }), Some(5)),
        (json!({ "path": "skills[0].a.b.c" }), Some(4)),
        (json!({ "path": "skills[0].a.b (a member name)" }), Some(4)),
        (json!({ "path": "version" }), None),
        (json!({ "path": "" }), None),
        (json!({ "seen": "skills[1].id: an empty text" }), Some(6)),
        (json!({ "seen": "HTTP 404, text/html: <html>" }), None),
        (json!({ "reason": "`id` must not be empty." }), Some(4)),
        (json!({ "fix": "Write `nothing`, and add `skills`." }), Some(3)),
        (json!({ "reason": "No member is named." }), None),
    ] {
        assert_eq!(line_of(card, &finding), line, "{finding}");
    }
}
