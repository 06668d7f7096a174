use serde_json::json;

use super::*;

#[test]
fn texts_of_strangers_cannot_control_the_terminal() {
    assert_eq!(plain("a\u{1b}[31mb\u{7}\u{202e}c\nd"), "a [31mb c\nd");
    assert_eq!(plain("Seen\n::mask::b #\u{200e}#[x]"), "Seen\n: :mask::b ## [x]");
    assert_eq!(escaped(&json!("\u{9b}a\u{202e}\n")), r#""\u009ba\u202e\n""#);
    let printer = Printer { json: false, colors: true };
    let status = json!({ "name": "\u{1b}[2J\u{e000}2J", "listing_id": "mcp-a", "lane": "active" });
    assert_eq!(printer.title(&status), " [2J\u{e000}2J (mcp-a): \u{1b}[32mLive\u{1b}[0m");
}

#[test]
fn steps_are_printed_with_request_answer_and_rule() {
    let list = json!([{
        "kind": "card", "sent": "GET https://a.example.org/\naccept: application/json", "received": "HTTP 404",
        "took_ms": 12, "rule": { "sentence": "A card exists.", "url": "https://spec.example.org/" },
        "reasons": ["card_http_404"], "parts": [],
    }]);
    assert_eq!(
        steps(&list),
        [
            "1. card, 12 ms",
            "  Rule: A card exists. https://spec.example.org/",
            "  > GET https://a.example.org/\n    accept: application/json",
            "  < HTTP 404",
            "  Found: card_http_404",
        ]
    );
}

#[test]
fn reasons_are_printed_with_their_fixes() {
    let printer = Printer { json: false, colors: false };
    let status = json!({
        "name": "Adder", "listing_id": "mcp-adder", "lane": "needs_fix", "lane_reason": "A check blocks it.",
        "reasons": [{ "code": "x", "reason": "No answer.", "seen": "404", "fix": "Serve the card." }],
        "retry_at": "2026-11-25T12:00:00Z",
    });
    assert_eq!(printer.title(&status), "Adder (mcp-adder): needs a fix");
    assert_eq!(
        reasons(&status),
        [
            "A check blocks it.",
            "  x No answer.",
            "    Seen: 404",
            "    Fix: Serve the card.",
            "The registry tries again at 2026-11-25T12:00:00Z.",
        ]
    );
}
