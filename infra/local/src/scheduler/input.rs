//! The event that EventBridge Scheduler sends. It is the template's `Input` with the context attributes filled in, or
//! the default event. Source: Scheduler user guide, "Adding context attributes" and "Templated targets".

use jiff::Timestamp;
use serde_json::{Value, json};

/// The event of a schedule that fires at `at`.
pub(super) fn event(input: Option<&Value>, name: &str, at: Timestamp) -> Value {
    let time = at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let id = format!("{name}-{}", at.as_millisecond());
    let arn = format!("arn:aws:scheduler:local:000000000000:schedule/default/{name}");
    match input {
        Some(input) => fill_in(
            input,
            &[
                ("<aws.scheduler.scheduled-time>", &time),
                ("<aws.scheduler.execution-id>", &id),
                ("<aws.scheduler.schedule-arn>", &arn),
                ("<aws.scheduler.attempt-number>", "1"),
            ],
        ),
        None => json!({
            "version": "0",
            "id": id,
            "detail-type": "Scheduled Event",
            "source": "aws.scheduler",
            "account": "000000000000",
            "time": time,
            "region": "local",
            "resources": [arn],
            "detail": "{}",
        }),
    }
}

fn fill_in(value: &Value, attributes: &[(&str, &str)]) -> Value {
    match value {
        Value::String(text) => {
            let replace = |text: String, (name, value): &(&str, &str)| text.replace(name, value);
            Value::String(attributes.iter().fold(text.clone(), replace))
        }
        Value::Array(values) => values.iter().map(|value| fill_in(value, attributes)).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), fill_in(value, attributes))).collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_attributes_are_filled_in_at_any_depth() {
        let at: Timestamp = "2026-11-20T12:00:00.250Z".parse().unwrap();
        let input = json!({ "time": "<aws.scheduler.scheduled-time>", "n": 1,
            "deep": [{ "try": "no <aws.scheduler.attempt-number>" }] });
        assert_eq!(
            event(Some(&input), "probe-tick", at),
            json!({ "time": "2026-11-20T12:00:00Z", "n": 1, "deep": [{ "try": "no 1" }] })
        );
        let default = event(None, "probe-tick", at);
        assert_eq!((&default["source"], &default["detail"]), (&json!("aws.scheduler"), &json!("{}")));
    }
}
