//! Requests that can be sent as they stand, made from the catalogue: its routes, and each operation's own example.

use std::fmt;

use askama::filters::HtmlSafe;
use serde_json::Value;

use registry_model::settings::Settings;
use registry_operations::{Action, Description, Route, RouteInput};

/// The listing id in the catalogue's examples.
const NOBODY: &str = "agtpub_0123456789abcdef0123";
const LISTING_ID: &str = "<listing_id>";

/// A shell command. Quotes are not escaped in HTML: tools that extract addresses from a page end them at a
/// quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Command(String);

impl Command {
    fn of(text: &str) -> Self {
        Self(text.replace(NOBODY, LISTING_ID))
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
    }
}

impl HtmlSafe for Command {}

pub(super) fn curl(settings: &Settings, operation: &Description) -> Command {
    match (route(operation), operation.actions.first()) {
        (Some(route), _) => of_route(settings, operation, route),
        (None, Some(action)) => of_action(settings, operation, action),
        (None, None) => Command(String::new()),
    }
}

pub(super) fn route(operation: &Description) -> Option<&'static Route> {
    let example: Value = serde_json::from_str(operation.example).unwrap_or_default();
    let is_flat = example
        .as_object()
        .is_some_and(|members| members.values().all(|value| !value.is_array() && !value.is_object()));
    let posted = || operation.routes.iter().find(|route| route.is_post());
    let first = operation.routes.first();
    if is_flat { first } else { posted().or(first) }
}

fn of_action(settings: &Settings, operation: &Description, action: &Action) -> Command {
    let mut body: Value = serde_json::from_str(operation.example).unwrap_or_default();
    // An operation that takes an action itself knows it by the end of the family's name for it.
    let own = body["action"].as_str().unwrap_or_default();
    let name = action.names.iter().find(|name| name.ends_with(own)).or(action.names.first());
    body["action"] = name.copied().into();
    post_json(&settings.url(action.path), &[], &body)
}

fn of_route(settings: &Settings, operation: &Description, route: &Route) -> Command {
    let url = settings.url(route.path);
    if matches!(route.input, RouteInput::BodyAs(_) | RouteInput::BodyByAction) {
        return post(&url, &[], operation.example);
    }
    let example: Value = serde_json::from_str(operation.example).unwrap_or_default();
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in example.as_object().into_iter().flatten() {
        query.append_pair(name, &value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    let query = query.finish();
    let url = if query.is_empty() { url } else { format!("{url}?{query}") };
    get(&url)
}

pub(super) fn get(url: &str) -> Command {
    Command::of(&format!("curl {}", quoted(url)))
}

pub(super) fn post_json(url: &str, headers: &[(&str, &str)], body: &Value) -> Command {
    post(url, headers, &body.to_string())
}

fn post(url: &str, headers: &[(&str, &str)], body: &str) -> Command {
    let headers = [("content-type", "application/json")].iter().chain(headers);
    let headers: String = headers.map(|(name, value)| format!("  -H '{name}: {value}' \\\n")).collect();
    Command::of(&format!("curl -X POST {} \\\n{headers}  -d {}", quoted(url), quoted(body)))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::settings::Mode;
    use registry_operations::DESCRIPTIONS;

    #[test]
    fn a_command_is_read_by_a_shell_as_it_is_meant() {
        let settings = Settings::from_env(Mode::Public, |_| None).unwrap();
        for operation in DESCRIPTIONS {
            let Command(command) = curl(&settings, operation);
            assert!(!command.contains(NOBODY), "{command}");
            assert_eq!(command.is_empty(), operation.routes.is_empty() && operation.actions.is_empty());
            let words = shell_words::split(&command).unwrap();
            let Some(at) = words.iter().position(|word| word == "-d") else {
                assert!(words.len() == 2 || words.is_empty(), "{command}");
                continue;
            };
            let sent: Value = serde_json::from_str(&words[at + 1]).unwrap();
            let example: Value =
                serde_json::from_str(&operation.example.replace(NOBODY, LISTING_ID)).unwrap();
            for (name, value) in example.as_object().unwrap() {
                match name.as_str() {
                    "action" => assert!(sent[name].as_str().unwrap().ends_with(value.as_str().unwrap())),
                    _ => assert_eq!(&sent[name], value, "{command}"),
                }
            }
        }
    }

    #[test]
    fn a_command_in_a_page_is_text() {
        let command = get("https://r.example.org/x?a=1&id=agtpub_0123456789abcdef0123");
        assert_eq!(command.to_string(), "curl 'https://r.example.org/x?a=1&amp;id=&lt;listing_id&gt;'");
    }
}
