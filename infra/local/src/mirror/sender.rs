//! Sends documents to the publish operation of a registry. A dry run sends nothing: it applies the same rules locally.

use http::{StatusCode, header};
use registry::model::Reach;
use registry::publish::submission::{PublishRequest, Submission};
use serde_json::{Map, Value, json};
use url::Url;

use super::counts::{Outcome, Refusal};
use super::retrying_client::{RequestError, RetryingClient};
use super::sanitize::error_message;

/// Why documents cannot be sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The registry did not answer.
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(
        "{url} answers {status}{message}. Check that this is the base URL of a registry, and that it accepts \
         publications from this machine"
    )]
    NotARegistry { url: Url, status: StatusCode, message: String },
}

#[derive(Clone, Debug)]
pub(super) enum Sender {
    /// The publish operation of a registry.
    Registry(RetryingClient, Url),
    /// Only validates documents.
    DryRun,
}

impl Sender {
    pub(super) async fn send(&self, document: Map<String, Value>) -> Result<Outcome, SendError> {
        // In `server_json`, because a document with a `url` member could be read as a request to fetch that URL.
        self.publish(json!({ "server_json": document })).await
    }

    /// Sends the body of a publication.
    pub(super) async fn publish(&self, body: Value) -> Result<Outcome, SendError> {
        let Self::Registry(retrying_client, publish) = self else { return Ok(validate(body)) };
        let body = body.to_string();
        let answer = retrying_client
            .send(|client| {
                client
                    .post(publish.clone())
                    .header(header::CONTENT_TYPE, "application/json")
                    .body(body.clone())
            })
            .await?;
        let reply: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        outcome(answer.status, &reply).ok_or_else(|| SendError::NotARegistry {
            url: publish.clone(),
            status: answer.status,
            message: error_message(&reply),
        })
    }
}

/// `None` if the answer is not that of a registry.
fn outcome(status: StatusCode, reply: &Value) -> Option<Outcome> {
    let text = |name: &str| reply[name].as_str().map(str::to_owned);
    match status.as_u16() {
        200..=299 => text("status").filter(|_| reply["ok"] == true).map(Outcome::Accepted),
        // Errors that concern only this document. A 429 here is the limit of its host; the client retries all others.
        400 | 409 | 413 | 422 | 429 | 500 => Some(Outcome::Refused(Refusal {
            code: text("code").unwrap_or_else(|| format!("http_{}", status.as_u16())),
            field: text("field"),
            detail: text("detail").unwrap_or_else(|| format!("The registry answered {status}.")),
            violations: reply["violations"].clone(),
        })),
        _ => None,
    }
}

fn validate(body: Value) -> Outcome {
    let fields = match serde_json::from_value::<PublishRequest>(body) {
        Ok(fields) => fields,
        Err(error) => return Outcome::Refused(Refusal::unsent("invalid_body", error.to_string())),
    };
    match Submission::parse(fields, Reach::Public) {
        Ok(_) => Outcome::Accepted("valid".to_owned()),
        Err(problem) => {
            let violations = problem.document()["violations"].take();
            let (code, detail) = (problem.code.to_owned(), problem.detail);
            Outcome::Refused(Refusal { code, field: problem.field, detail, violations })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome_of(status: u16, reply: &Value) -> Option<Outcome> {
        outcome(StatusCode::from_u16(status).unwrap(), reply)
    }

    #[test]
    fn registry_reply_means_accepted_or_refused() {
        let accepted = json!({ "ok": true, "status": "queued" });
        assert_eq!(outcome_of(200, &accepted), Some(Outcome::Accepted("queued".to_owned())));
        let problem = json!({ "ok": false, "code": "withdrawn", "detail": "It was withdrawn." });
        let Some(Outcome::Refused(refusal)) = outcome_of(409, &problem) else { panic!("it was refused") };
        assert_eq!((refusal.code.as_str(), refusal.field), ("withdrawn", None));
        let Some(Outcome::Refused(refusal)) = outcome_of(413, &json!({ "message": "Too Long" })) else {
            panic!("it was refused")
        };
        assert_eq!(refusal.code, "http_413");
    }

    #[test]
    fn answers_in_another_format_are_not_accepted_as_registry_answers() {
        for (status, reply) in [
            (200, json!({ "hello": "world" })),
            (200, Value::Null),
            (301, Value::Null),
            (403, json!({ "detail": "no" })),
            (404, json!({ "code": "not_found" })),
            (405, Value::Null),
        ] {
            assert_eq!(outcome_of(status, &reply), None, "{status} {reply}");
        }
    }

    #[tokio::test]
    async fn dry_run_validates_without_sending() {
        let validate =
            async |document: Value| Sender::DryRun.send(document.as_object().unwrap().clone()).await.unwrap();
        let good = json!({ "name": "org.example/adder", "description": "Adds.", "version": "1.0.0" });
        assert_eq!(validate(good).await, Outcome::Accepted("valid".to_owned()));
        let Outcome::Refused(refusal) =
            validate(json!({ "name": "org.example/adder", "version": "1.0.0" })).await
        else {
            panic!("it lacks a description")
        };
        assert_eq!(refusal.code, "invalid_server_description");
        assert!(!refusal.violations.as_array().unwrap().is_empty());
    }
}
