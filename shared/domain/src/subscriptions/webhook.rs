//! Messages to webhooks, in the form of Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and
//! `webhook-signature`, which is an HMAC with the key that the subscriber knows. The fetcher also signs each request with the
//! Ed25519 key of the registry (RFC 9421), over the host and the digest of the body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::StatusCode;
use ring::hmac;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use registry_app::{App, message_key};
use registry_fetch::{Answer, Follow, Request, Target};
use registry_model::{Change, Moment, Subscription};

use super::message_id;
use super::tell::Failure;
use super::texts::{manage_link, topic_in_words};

/// Bytes of an answer that are read.
const MAX_ANSWER_BYTES: usize = 4096;

/// Asks the webhook to confirm: it must answer with the challenge.
pub(super) async fn ask(app: &App, subscription: &Subscription, url: &str, key: &str) -> Result<(), Failure> {
    let challenge = app.random.hex(16);
    let data = json!({
        "challenge": challenge,
        "topic": subscription.topic,
        "about": topic_in_words(&subscription.topic),
        "manage": manage_link(&app.settings, &subscription.token),
    });
    let id = message_id(subscription, &challenge);
    let answer = send(app, url, key, &id, "subscription.challenge", data).await?;
    let body = String::from_utf8_lossy(&answer.body);
    let echoed = match serde_json::from_str::<Value>(&body) {
        Ok(Value::Object(members)) => members.get("challenge").and_then(Value::as_str) == Some(&challenge),
        _ => body.trim().trim_matches('"') == challenge,
    };
    if echoed { Ok(()) } else { Err(Failure::Repeat("it did not answer with the challenge".to_owned())) }
}

/// Sends changes. A repetition of the message has the same id.
pub(super) async fn tell(
    app: &App,
    subscription: &Subscription,
    url: &str,
    key: &str,
    changes: &[&Change],
) -> Result<(), Failure> {
    let cursor = changes.last().map_or(0, |change| change.cursor);
    let data = json!({
        "changes": changes,
        "cursor": cursor,
        "manage": manage_link(&app.settings, &subscription.token),
    });
    let id = message_id(subscription, &cursor.to_string());
    send(app, url, key, &id, "listing.changes", data).await?;
    Ok(())
}

async fn send(app: &App, url: &str, key: &str, id: &str, kind: &str, data: Value) -> Result<Answer, Failure> {
    let (now, id) = (app.clock.now(), format!("msg_{id}"));
    let target =
        Target::parse(url, app.settings.reach()).map_err(|error| Failure::Repeat(error.to_string()))?;
    let request = Request::post_json(target, &json!({ "type": kind, "timestamp": now, "data": data }));
    let body = request.body.clone().unwrap_or_default();
    let digest = BASE64.encode(Sha256::digest(&body));
    let request = request
        .with_follow(Follow::Never)
        .with_max_bytes(MAX_ANSWER_BYTES)
        .with_header("webhook-id", &id)
        .with_header("webhook-timestamp", now.as_second().to_string())
        .with_header("webhook-signature", signature(key, &id, now, &body))
        .with_header("content-digest", format!("sha-256=:{digest}:"));
    let fetcher = app.fetcher.clone().with_signer(message_key::signer(app));
    let answer = fetcher.send(request).await.map_err(|error| Failure::Repeat(error.to_string()))?;
    match answer.status {
        status if status.is_success() => Ok(answer),
        StatusCode::GONE => Err(Failure::Gone),
        status => Err(Failure::Repeat(format!("it answered {status}"))),
    }
}

/// `v1,` and the HMAC-SHA-256 of id, seconds and body (Standard Webhooks, "Symmetric").
fn signature(key: &str, id: &str, at: Moment, body: &[u8]) -> String {
    let key = BASE64.decode(key).unwrap_or_default();
    let signed = [format!("{id}.{}.", at.as_second()).as_bytes(), body].concat();
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), &signed);
    format!("v1,{}", BASE64.encode(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_matches_the_example_of_the_specification() {
        // The test vector of the libraries of Standard Webhooks.
        let at = Moment::from_second(1_614_265_330).unwrap();
        let signed = signature(
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            at,
            br#"{"test": 2432232314}"#,
        );
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
