use super::*;
use registry_features::CATALOGUE;
use registry_model::Random;

fn text_without_secrets(text: &str) -> String {
    without_secrets(json!(text)).as_str().unwrap().to_owned()
}

#[test]
fn examples_in_the_catalog_are_not_removed_as_secrets() {
    for entry in CATALOGUE {
        let text = format!("{{\"data\":{:?}}}", entry.example);
        assert_eq!(text_without_secrets(&text), text);
        let data: Value = serde_json::from_str(entry.example).unwrap();
        assert_eq!(without_secrets(data.clone()), data);
    }
}

#[test]
fn secrets_are_removed_from_every_part_of_a_text() {
    let random = Random::seeded(7);
    let (token, code) = (AccessToken::new(&random), DiscountCode::new(&random));
    let (token, code) = (token.reveal(), code.reveal());
    for (text, expected) in [
        (
            format!(r#"{{"a":"{token}","u":"https://r/x?token={token}&f=1"}}"#),
            r#"{"a":"(not stored)","u":"https://r/x?token=(not stored)&f=1"}"#,
        ),
        (format!("code {code}, or {}.", code.to_lowercase()), "code (not stored), or (not stored)."),
        (format!(r"one:\n{token}\n"), r"one:\n(not stored)\n"),
        (format!("é{token}é"), "é(not stored)é"),
        (format!("session {} is open", SessionId::new(&random).reveal()), "session (not stored) is open"),
        ("at_home, D25-short, agtpub_0123 and at_".to_owned(), "at_home, D25-short, agtpub_0123 and at_"),
    ] {
        assert_eq!(text_without_secrets(&text), expected);
    }
}

#[test]
fn named_secrets_are_removed_in_every_spelling() {
    for (text, expected) in [
        (r#"{"idempotency_key":"0a1b"}"#, r#"{"idempotency_key":"(not stored)"}"#),
        (r#"{\"idempotency_key\": \"0a1b\"} and"#, r#"{\"idempotency_key\": \"(not stored)\"} and"#),
        ("idempotency_key=0a1b, sku=x", "idempotency_key=(not stored), sku=x"),
        ("Idempotency-Key: 0a1b", "Idempotency-Key: (not stored)"),
        ("the idempotency key is 0a1b.", "the idempotency key is (not stored)"),
        ("token: abcd1234", "token: (not stored)"),
        ("access_token=abcd1234&x=1", "access_token=(not stored)&x=1"),
        ("Authorization: Bearer abcd1234", "Authorization: Bearer (not stored)"),
        ("my api key is sk-abcd1234", "my api key is (not stored)"),
        ("password=hunter", "password=(not stored)"),
        (r#"{"credential":"abcdefghijklmnop"}"#, r#"{"credential":"(not stored)"}"#),
    ] {
        assert_eq!(text_without_secrets(text), expected);
    }
    for text in [
        "the credential is needed",
        "token: <token>",
        "an access token is a text",
        "tokens: 12345678",
        "its idempotency_key tells",
    ] {
        assert_eq!(text_without_secrets(text), text);
    }
    let mut data = json!({ "idempotency_key": "0a1b", "x": { "accessToken": "abcd1234", "token": "" } });
    data["next"] = json!({ "tool": "get_access", "arguments": { "token": "abcd1234" } });
    let expected =
        json!({ "idempotency_key": "(not stored)", "x": { "accessToken": "(not stored)", "token": "" } });
    assert_eq!(without_secrets(data), expected);
}

#[test]
fn email_addresses_are_removed_and_count_as_absent_later() {
    let data =
        json!({ "contact_email": "Jane <jane@example.org>", "jane@example.org": [1], "url": "https://a" });
    let mut expected = without_secrets(data);
    assert_eq!(
        expected,
        json!({ "contact_email": "Jane <(not stored)>", "(not stored)": [1], "url": "https://a" })
    );
    drop_removed(&mut expected);
    assert_eq!(expected, json!({ "(not stored)": [1], "url": "https://a" }));
}
