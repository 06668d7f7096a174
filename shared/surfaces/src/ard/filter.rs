//! The filter of a query (ARD §7.1). A filter contains paths into an entry, and the accepted values for each
//! path. Every field of an entry can be filtered. If no entry has a path, the filter matches nothing.

use crate::prelude::*;
use registry_model::protocol::{AGENT_CARD_MEDIA_TYPE, SERVER_CARD_MEDIA_TYPE};

const MAX_PATHS: usize = 8;
const MAX_VALUES_PER_PATH: usize = 64;
/// For a path and for a value.
const MAX_CHARS: usize = 200;

pub(super) fn schema() -> Value {
    json!({
        "type": ["object", "null"],
        "description": "Paths into an entry, with the accepted values.",
        "maxProperties": MAX_PATHS,
        "propertyNames": { "minLength": 1, "maxLength": MAX_CHARS },
        "additionalProperties": values_schema(),
    })
}

pub(super) fn values_schema() -> Value {
    let value = json!({ "type": ["string", "number", "boolean"], "maxLength": MAX_CHARS });
    json!({ "anyOf": [value, { "type": "array", "maxItems": MAX_VALUES_PER_PATH, "items": value }] })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kinds {
    Both,
    Only(Kind),
    Neither,
}

impl Kinds {
    pub(super) fn of_types<'a>(types: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut agents, mut servers) = (false, false);
        for named in types {
            match named.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
                AGENT_CARD_MEDIA_TYPE | "application/agent-card+json" => agents = true,
                SERVER_CARD_MEDIA_TYPE => servers = true,
                _ => {}
            }
        }
        match (agents, servers) {
            (true, true) => Self::Both,
            (true, false) => Self::Only(Kind::Agent),
            (false, true) => Self::Only(Kind::Mcp),
            (false, false) => Self::Neither,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filter {
    pub(super) kinds: Kinds,
    /// A path, and the values of which one must be present, in lower case.
    others: Vec<(String, HashSet<String>)>,
    /// All paths, including those that select the kinds.
    paths: usize,
}

impl Filter {
    pub(super) const NONE: Self = Self { kinds: Kinds::Both, others: Vec::new(), paths: 0 };

    pub(super) fn read(filter: &Value) -> Result<Self, Problem> {
        let constraints = match filter {
            Value::Null => return Ok(Self::NONE),
            Value::Object(constraints) => constraints,
            _ => {
                return Err(Problem::malformed(
                    "`query.filter` must be an object. Its keys are field paths, and its values are the \
                     accepted values.",
                ));
            }
        };
        let mut read = Self::NONE;
        for (path, values) in constraints {
            let values = values_of(values).ok_or_else(|| {
                let shown = shorten(path, 80);
                Problem::malformed(format!("`query.filter`: `{shown}` must be a value or a list of values."))
            })?;
            read = read.and(path, values)?;
        }
        Ok(read)
    }

    pub(super) fn and(mut self, path: &str, values: Vec<String>) -> Result<Self, Problem> {
        if path.is_empty() {
            return Err(Problem::malformed(
                "A path of a filter is empty. Name a field of an entry, such as `tags`.",
            ));
        }
        if self.paths >= MAX_PATHS {
            return Err(Problem::malformed(format!(
                "A filter can have at most {MAX_PATHS} paths. Remove the paths that you need least."
            )));
        }
        if values.len() > MAX_VALUES_PER_PATH {
            return Err(Problem::malformed(format!(
                "A path of a filter can have at most {MAX_VALUES_PER_PATH} values. Send the other values in \
                 another request."
            )));
        }
        let is_long = |text: &&str| text.chars().count() > MAX_CHARS;
        let long = values.iter().map(String::as_str).find(is_long).or(Some(path).filter(is_long));
        if let Some(long) = long {
            let shown = shorten(long, 80);
            return Err(Problem::malformed(format!(
                "A path or value of a filter can have at most {MAX_CHARS} characters. Shorten or remove `{shown}`."
            )));
        }
        self.paths += 1;
        if matches!(path, "type" | "mediaType") && self.kinds == Kinds::Both {
            self.kinds = Kinds::of_types(values.iter().map(String::as_str));
        } else {
            let accepted = values.into_iter().map(|value| value.to_lowercase()).collect();
            self.others.push((path.to_owned(), accepted));
        }
        Ok(self)
    }

    /// Whether more than the kind is constrained, so that entries must be read.
    pub(super) const fn looks_at_entries(&self) -> bool {
        !self.others.is_empty()
    }

    /// The constraint on the kind is not checked again.
    pub(super) fn matches(&self, entry: &Value) -> bool {
        self.others.iter().all(|(path, accepted)| {
            let found = at(entry, path);
            found.iter().any(|found| accepted.contains(&found.to_lowercase()))
        })
    }
}

fn values_of(values: &Value) -> Option<Vec<String>> {
    match values {
        Value::Array(values) => values.iter().map(scalar).collect(),
        one => scalar(one).map(|one| vec![one]),
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Lists are flattened; `publisher` is the second part of the URN.
fn at(entry: &Value, path: &str) -> Vec<String> {
    if path == "publisher" {
        let urn = entry["identifier"].as_str().unwrap_or_default();
        return urn.split(':').nth(2).map(str::to_owned).into_iter().collect();
    }
    let mut reached = vec![entry];
    for step in path.split('.') {
        reached = reached.into_iter().filter_map(|value| value.get(step)).flat_map(one_by_one).collect();
    }
    reached.into_iter().filter_map(scalar).collect()
}

fn one_by_one(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(values) => values.iter().collect(),
        one => vec![one],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Value {
        json!({
            "identifier": "urn:air:acme.dev:mcp:weather", "tags": ["Weather", "maps"], "version": "1.2.0",
            "metadata": { "probe_score": 90 }, "trustManifest": { "attestations": [{ "type": "SOC2" }, { "type": "X" }] },
        })
    }

    #[test]
    fn each_filter_path_must_have_one_of_the_given_values() {
        for (filter, is_match) in [
            (json!({}), true),
            (json!({ "tags": ["weather"] }), true),
            (json!({ "tags": "weather" }), true),
            (json!({ "tags": ["news", "maps"] }), true),
            (json!({ "tags": ["WEATHER"] }), true),
            (json!({ "tags": ["news"] }), false),
            (json!({ "tags": [] }), false),
            (json!({ "publisher": "acme.dev", "version": ["1.2.0"] }), true),
            (json!({ "publisher": "acme.dev", "version": ["1.3.0"] }), false),
            (json!({ "metadata.probe_score": [90] }), true),
            (json!({ "trustManifest.attestations.type": ["X"] }), true),
            (json!({ "no.such.path": ["x"] }), false),
        ] {
            assert_eq!(Filter::read(&filter).unwrap().matches(&entry()), is_match, "{filter}");
        }
    }

    #[test]
    fn invalid_filter_is_rejected() {
        for filter in
            [json!([]), json!("type"), json!({ "type": {} }), json!({ "type": [null] }), json!({ "": "x" })]
        {
            assert!(Filter::read(&filter).is_err(), "{filter}");
        }
    }

    #[test]
    fn filter_size_is_limited() {
        let paths = |count: usize| {
            let others = (1..count).map(|n| (format!("metadata.p{n}"), json!("x")));
            Value::Object(others.chain([("type".to_owned(), json!(SERVER_CARD_MEDIA_TYPE))]).collect())
        };
        let long = |chars: usize| json!({ "tags": ["é".repeat(chars)] });
        let path = |chars: usize| Value::Object([("x".repeat(chars), json!("x"))].into_iter().collect());
        let values = |count: usize| json!({ "tags": vec!["x"; count] });
        for (largest, too_large, advice) in [
            (paths(8), paths(9), "Remove"),
            (values(64), values(65), "another request"),
            (long(200), long(201), "Shorten"),
            (path(200), path(201), "Shorten"),
        ] {
            assert!(Filter::read(&largest).is_ok(), "{largest}");
            let problem = Filter::read(&too_large).unwrap_err();
            assert!(problem.detail.contains(advice), "{}", problem.detail);
            assert!(problem.detail.len() < 400, "{}", problem.detail);
        }
    }
}
