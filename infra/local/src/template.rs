//! The deployment's template as the only list of routes, schedules and rules: what it omits is missing here too, so
//! that the tests find the omission. Only what runs on one machine is read; the rest is for AWS.

mod rate;

use std::time::Duration;

use serde_json::Value as Json;
use serde_yaml_ng::Value;

/// A route of the HTTP API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// `None` for `ANY`: the function itself answers 405 with Allow.
    pub method: Option<http::Method>,
    /// `None` for `$default`, which takes what no other route matches.
    pub path: Option<String>,
    /// The crate of the function.
    pub function: String,
}

/// A schedule of EventBridge Scheduler.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// The crate of the function.
    pub function: String,
    /// The time from one event to the next.
    pub every: Duration,
    /// The event, with Scheduler's placeholders; `None` where Scheduler sends its own.
    pub input: Option<Json>,
}

/// A rule on the event bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The crate of the function.
    pub function: String,
    /// Any of these sources; empty means every one.
    pub source: Vec<String>,
    /// Any of these detail types; empty means every one.
    pub detail_type: Vec<String>,
}

/// What the HTTP API tells browsers of other origins (`CorsConfiguration`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cors {
    /// `AllowOrigins`; `*` is every one.
    pub origins: Vec<String>,
    /// `AllowMethods`.
    pub methods: Vec<String>,
    /// `AllowHeaders`.
    pub headers: Vec<String>,
    /// `ExposeHeaders`.
    pub exposed: Vec<String>,
    /// `MaxAge` in seconds.
    pub max_age: Option<u64>,
}

/// What the template says about requests and events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Template {
    /// Routes in the order of the template.
    pub routes: Vec<Route>,
    /// Schedules.
    pub schedules: Vec<Schedule>,
    /// Rules on the bus.
    pub rules: Vec<Rule>,
    /// `None` where the template has no CORS configuration.
    pub cors: Option<Cors>,
}

/// Why the template cannot be played. Names are those of the template.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// Not YAML.
    #[error("the template is not readable YAML: {0}")]
    Yaml(#[from] serde_yaml_ng::Error),
    /// No `Resources`.
    #[error("the template has no Resources")]
    NoResources,
    /// The crate of a function with events cannot be determined.
    #[error("function {0} names no crate, neither Metadata.BuildProperties.Binary nor CodeUri")]
    NoCrate(String),
    /// An event lacks a property, or holds something else in it than expected.
    #[error("event {event} of function {function}: {property} is missing or unusable")]
    Property {
        /// Logical id of the function.
        function: String,
        /// Logical id of the event.
        event: String,
        /// The property.
        property: &'static str,
    },
    /// A schedule expression that AWS would refuse, or that this machine cannot play.
    #[error("event {event} of function {function}: {expression:?} is not `rate(<number> <unit>)`")]
    Rate {
        /// Logical id of the function.
        function: String,
        /// Logical id of the event.
        event: String,
        /// The expression as written.
        expression: String,
    },
    /// A kind of event that this machine does not play.
    #[error("event {event} of function {function}: type {kind} is not played on one machine")]
    Kind {
        /// Logical id of the function.
        function: String,
        /// Logical id of the event.
        event: String,
        /// Its `Type`.
        kind: String,
    },
}

impl Template {
    /// The template this binary was built with.
    ///
    /// # Errors
    /// See [`Template::parse`].
    pub fn own() -> Result<Self, TemplateError> {
        Self::parse(include_str!("../../template.yaml"))
    }

    /// Reads a SAM template.
    ///
    /// # Errors
    /// Names what cannot be played, so that a deployment never has more to it than the tests saw.
    pub fn parse(yaml: &str) -> Result<Self, TemplateError> {
        let document: Value = serde_yaml_ng::from_str(yaml)?;
        let resources =
            document.get("Resources").and_then(Value::as_mapping).ok_or(TemplateError::NoResources)?;
        let mut template = Self::default();
        for (name, resource) in resources {
            let properties = &resource["Properties"];
            match resource["Type"].as_str() {
                Some("AWS::Serverless::HttpApi") => template.cors = cors(&properties["CorsConfiguration"]),
                Some("AWS::Serverless::Function") => {
                    template.read_function(name.as_str().unwrap_or_default(), resource)?;
                }
                _ => {}
            }
        }
        Ok(template)
    }

    fn read_function(&mut self, name: &str, resource: &Value) -> Result<(), TemplateError> {
        let Some(events) = resource["Properties"]["Events"].as_mapping() else { return Ok(()) };
        let function = crate_of(resource).ok_or_else(|| TemplateError::NoCrate(name.to_owned()))?;
        for (event, body) in events {
            let event = Event { function: name, name: event.as_str().unwrap_or_default(), body };
            match body["Type"].as_str().unwrap_or_default() {
                "HttpApi" => self.routes.push(event.route(&function)?),
                "ScheduleV2" => self.schedules.push(event.schedule(&function)?),
                "EventBridgeRule" => self.rules.push(event.rule(&function)?),
                kind => {
                    return Err(TemplateError::Kind {
                        function: name.to_owned(),
                        event: event.name.to_owned(),
                        kind: kind.to_owned(),
                    });
                }
            }
        }
        Ok(())
    }
}

/// The crate a function is built from: named for cargo-lambda, or the last folder of its code.
fn crate_of(resource: &Value) -> Option<String> {
    let binary = resource["Metadata"]["BuildProperties"]["Binary"].as_str();
    let folder = resource["Properties"]["CodeUri"].as_str();
    let folder = folder.and_then(|uri| uri.trim_end_matches('/').rsplit('/').next());
    binary.or(folder).filter(|name| !name.is_empty() && *name != ".").map(str::to_owned)
}

/// One entry of a function's `Events`.
struct Event<'a> {
    function: &'a str,
    name: &'a str,
    body: &'a Value,
}

impl Event<'_> {
    fn property(&self, name: &str) -> &Value {
        &self.body["Properties"][name]
    }

    fn unusable(&self, property: &'static str) -> TemplateError {
        TemplateError::Property { function: self.function.to_owned(), event: self.name.to_owned(), property }
    }

    // SAM's rule: an event without path and method is the route `$default`.
    fn route(&self, function: &str) -> Result<Route, TemplateError> {
        let path = match self.property("Path") {
            Value::Null => None,
            Value::String(path) if path == "$default" => None,
            Value::String(path) if path.starts_with('/') => Some(path.clone()),
            _ => return Err(self.unusable("Path")),
        };
        let method = match (self.property("Method").as_str(), &path) {
            (None, None) => None,
            (Some(any), _) if any.eq_ignore_ascii_case("any") || any == "x-amazon-apigateway-any-method" => {
                None
            }
            (Some(method), Some(_)) => {
                let method = method.to_ascii_uppercase().parse();
                Some(method.map_err(|_| self.unusable("Method"))?)
            }
            _ => return Err(self.unusable("Method")),
        };
        Ok(Route { method, path, function: function.to_owned() })
    }

    fn schedule(&self, function: &str) -> Result<Schedule, TemplateError> {
        let expression = self
            .property("ScheduleExpression")
            .as_str()
            .ok_or_else(|| self.unusable("ScheduleExpression"))?;
        let every = rate::parse(expression).ok_or_else(|| TemplateError::Rate {
            function: self.function.to_owned(),
            event: self.name.to_owned(),
            expression: expression.to_owned(),
        })?;
        let input = match self.property("Input") {
            Value::Null => None,
            Value::String(text) => Some(serde_json::from_str(text).map_err(|_| self.unusable("Input"))?),
            _ => return Err(self.unusable("Input")),
        };
        Ok(Schedule { function: function.to_owned(), every, input })
    }

    fn rule(&self, function: &str) -> Result<Rule, TemplateError> {
        let pattern = self.property("Pattern");
        let list = |name| {
            let values = &pattern[name];
            texts(values).ok_or_else(|| self.unusable("Pattern"))
        };
        // A rule on anything else would be played for events that it does not mean.
        let known = |key: &Value| matches!(key.as_str(), Some("source" | "detail-type"));
        match pattern.as_mapping() {
            Some(pattern) if !pattern.is_empty() && pattern.keys().all(known) => {}
            _ => return Err(self.unusable("Pattern")),
        }
        Ok(Rule { function: function.to_owned(), source: list("source")?, detail_type: list("detail-type")? })
    }
}

/// A list of plain texts; absent is empty, anything else is `None`.
fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Null => Some(Vec::new()),
        Value::Sequence(values) => values.iter().map(|value| value.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

fn cors(configuration: &Value) -> Option<Cors> {
    configuration.as_mapping()?;
    let list = |name: &str| texts(&configuration[name]).unwrap_or_default();
    Some(Cors {
        origins: list("AllowOrigins"),
        methods: list("AllowMethods"),
        headers: list("AllowHeaders"),
        exposed: list("ExposeHeaders"),
        max_age: configuration["MaxAge"].as_u64(),
    })
}

#[cfg(test)]
mod tests;
