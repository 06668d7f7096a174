use super::*;
use registry_model::{AccessToken, Random};

#[test]
fn email_addresses_are_found() {
    let texts = [
        "jane@example.org",
        "Write to <Jane.Doe+x@mail.example.co.uk>.",
        "mailto:jane@example.org",
        "jane＠example.org",
        "jane%40example.org",
        "jane [at] example.org",
        "jane (AT) example (dot) org",
        "jürgen@müller.de",
        "a@[192.0.2.1]",
        "https://jane:secret@example.org/",
        "\"jane doe\"@example.org, or x@xn--mller-kva.de",
        "ja\u{AD}ne@exam\u{200B}ple.org",
    ];
    for text in texts {
        assert!(has_email_address(text), "{text}");
        let kept = without_email_addresses(text, "-");
        assert!(!has_email_address(&kept), "{text}: {kept}");
    }
    let kept = without_email_addresses("Write to <jane@example.org>, or jane [at] example [dot] org.", "-");
    assert_eq!(kept, "Write to <->, or -.");
}

#[test]
fn personal_data_is_removed_and_the_rest_of_the_text_is_kept() {
    let text = "Too long. Call +49 30 1234567 or jane [at] example.org, key ghp_0123456789abcdefghijklmnopqrstuvwxyz.";
    let kept = without_personal_data(text);
    assert_eq!(kept, "Too long. Call[removed] or [removed], key [removed].");
}

#[test]
fn texts_with_at_signs_but_no_email_address_pass() {
    let texts = [
        "npx @modelcontextprotocol/inspector@1.2.3",
        "Follow @adder, find it @ example.org",
        "Look at example.org (at noon).",
        "https://example.org/.well-known/agent-card.json?a=1",
        "5 @ 3.20 each",
        "agtpub_0123456789abcdef0123",
    ];
    for text in texts {
        assert!(!has_email_address(text), "{text}");
    }
}

#[test]
fn phone_numbers_are_found() {
    let texts = [
        "+49 30 1234567",
        "Call 0049 (0)30 123 45 67 now",
        "(030) 123 45 67",
        "030 1234567",
        "0171-123 4567",
        "555-123-4567",
        "(555) 123-4567.",
        "tel:5551234567",
        "WhatsApp: 555 1234 567",
        "+１ ２０２ ５５５ ０１２３",
    ];
    for text in texts {
        assert!(has_phone_number(text), "{text}");
    }
}

#[test]
fn numbers_that_are_not_phone_numbers_pass() {
    let texts = [
        "2026-11-20T12:00:00Z, or 20.11.2026 12:00, or 01/02/2026 12:00",
        "Version 2026-07-28 and 1.10.200.3000",
        "192.168.100.1000 and 10.0.0.1:8080",
        "agtpub_01234567890123456789",
        "1795132800000 milliseconds, 1000000 calls, 0.000001 USD",
        "C++ 11 and 24/7, 99.95 %, 10,000,000 rows",
        "https://example.org/items/030-1234567/555-123-4567",
        "msg_1795132800000_welcome",
    ];
    for text in texts {
        assert!(!has_phone_number(text), "{text}");
    }
}

#[test]
fn secrets_are_found_and_ordinary_words_pass() {
    let token = AccessToken::new(&Random::seeded(1));
    let texts = [
        format!("My token is {}.", token.reveal()),
        "-----BEGIN EC PRIVATE KEY-----".to_owned(),
        format!("sk-proj-{}", "aB3".repeat(10)),
        format!("ghp_{}", "a1".repeat(18)),
        format!("AKIA{}", "A7".repeat(8)),
        format!("eyJ{0}.eyJ{0}.{0}", "a".repeat(20)),
    ];
    for text in &texts {
        assert!(has_secret(text), "{text}");
    }
    for text in
        ["look at_least_once_delivery", "at_home", "ask-me-anything-you-want-to-know-here", "sha256-abc"]
    {
        assert!(!has_secret(text), "{text}");
    }
}
