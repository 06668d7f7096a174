//! Reads the routes, schedules and rules from the SAM template of the deployment. They are not listed
//! anywhere else. So if something is missing in the template, the tests find it.

mod rate;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value as Json;
use serde_yaml_ng::{Mapping, Value};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// `None` for `ANY`.
    pub method: Option<http::Method>,
    /// `None` for `$default`, which matches what no other route matches.
    pub path: Option<String>,
    pub function: String,
}

/// A schedule of EventBridge Scheduler.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    pub function: String,
    /// The time between two events.
    pub every: Duration,
    /// The event, with Scheduler's placeholders; `None` if Scheduler sends its default event.
    pub input: Option<Json>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub function: String,
    /// Any of these sources; empty matches all.
    pub source: Vec<String>,
    /// Any of these detail types; empty matches all.
    pub detail_type: Vec<String>,
    /// The queue between the rule and the function; `None` if the rule calls the function.
    pub queue: Option<Queue>,
}

/// A queue of SQS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// After this time, a message that was not handled is delivered again.
    pub visibility_timeout: Duration,
    /// How often a message is delivered.
    pub max_receives: u32,
}

/// `CorsConfiguration` of the HTTP API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cors {
    /// `AllowOrigins`; `*` allows all.
    pub origins: Vec<String>,
    /// `AllowMethods`.
    pub methods: Vec<String>,
    /// `AllowHeaders`.
    pub headers: Vec<String>,
    pub exposed: Vec<String>,
    /// `MaxAge` in seconds.
    pub max_age: Option<u64>,
}

/// The timeout of a function whose template sets none (AWS: Lambda developer guide, "Configure Lambda function timeout").
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(3);

/// The part of the template that runs on one machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Template {
    /// In the order of the template.
    pub routes: Vec<Route>,
    /// Of EventBridge Scheduler.
    pub schedules: Vec<Schedule>,
    /// Of the event bus.
    pub rules: Vec<Rule>,
    /// `None` if the template has no CORS configuration.
    pub cors: Option<Cors>,
    /// How long an execution of a function may take, by crate.
    pub timeouts: BTreeMap<String, Duration>,
}

/// Why the template cannot be used. Names are those of the template.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// Not YAML.
    #[error("the template is not valid YAML: {0}")]
    Yaml(#[from] serde_yaml_ng::Error),
    /// No `Resources`.
    #[error("the template has no Resources")]
    NoResources,
    /// The crate of a function with events cannot be determined.
    #[error(
        "the template does not say which crate is the code of function {0}; set \
        Metadata.BuildProperties.Binary or CodeUri"
    )]
    NoCrate(String),
    /// The pattern of a rule is not supported, or its target is not a queue of the template.
    #[error("rule {0} has an unsupported pattern or target")]
    Rule(String),
    /// An event has an invalid property or an unsupported type.
    #[error("event {event} of function {function}: {problem}")]
    Event { function: String, event: String, problem: String },
}

impl Template {
    /// The template that is compiled into this binary.
    ///
    /// # Errors
    /// See [`Template::parse`].
    pub fn own() -> Result<Self, TemplateError> {
        Self::parse(include_str!("../../template.yaml"))
    }

    /// Reads a SAM template.
    ///
    /// # Errors
    /// An event that this crate does not support, so that tests never skip a part of the deployment.
    pub fn parse(yaml: &str) -> Result<Self, TemplateError> {
        let document: Value = serde_yaml_ng::from_str(yaml)?;
        let resources =
            document.get("Resources").and_then(Value::as_mapping).ok_or(TemplateError::NoResources)?;
        let (mut template, queued) = (Self::default(), queued_rules(resources)?);
        for (name, resource) in resources {
            let properties = &resource["Properties"];
            match resource["Type"].as_str() {
                Some("AWS::Serverless::HttpApi") => template.cors = cors(&properties["CorsConfiguration"]),
                Some("AWS::Serverless::Function") => {
                    let global = &document["Globals"]["Function"]["Timeout"];
                    template.read_function(name.as_str().unwrap_or_default(), resource, global, &queued)?;
                }
                _ => {}
            }
        }
        Ok(template)
    }

    /// How long an execution of a function may take.
    pub fn timeout(&self, function: &str) -> Duration {
        self.timeouts.get(function).copied().unwrap_or(DEFAULT_TIMEOUT)
    }

    fn read_function(
        &mut self,
        name: &str,
        resource: &Value,
        global_timeout: &Value,
        queued: &BTreeMap<String, Rule>,
    ) -> Result<(), TemplateError> {
        let Some(events) = resource["Properties"]["Events"].as_mapping() else { return Ok(()) };
        let function = crate_of(resource).ok_or_else(|| TemplateError::NoCrate(name.to_owned()))?;
        let timeout = resource["Properties"]["Timeout"].as_u64().or(global_timeout.as_u64());
        self.timeouts.extend(timeout.map(|seconds| (function.clone(), Duration::from_secs(seconds))));
        for (event, body) in events {
            let event = Event { function: name, name: event.as_str().unwrap_or_default(), body };
            match body["Type"].as_str().unwrap_or_default() {
                "HttpApi" => self.routes.push(event.route(&function)?),
                "ScheduleV2" => self.schedules.push(event.schedule(&function)?),
                "EventBridgeRule" => self.rules.push(event.rule(&function)?),
                "SQS" => {
                    let rule = named(event.property("Queue")).and_then(|queue| queued.get(queue));
                    let rule = rule.ok_or_else(|| event.invalid("Queue"))?;
                    self.rules.push(Rule { function: function.clone(), ..rule.clone() });
                }
                kind => {
                    return Err(event.error(format!("type {kind} is not supported by the local registry")));
                }
            }
        }
        Ok(())
    }
}

/// The crate of a function: the binary for cargo-lambda, or the last folder of `CodeUri`.
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

    fn error(&self, problem: String) -> TemplateError {
        TemplateError::Event { function: self.function.to_owned(), event: self.name.to_owned(), problem }
    }

    fn invalid(&self, property: &str) -> TemplateError {
        self.error(format!("{property} is missing or invalid"))
    }

    // SAM's rule: an event without path and method is the route `$default`.
    fn route(&self, function: &str) -> Result<Route, TemplateError> {
        let path = match self.property("Path") {
            Value::Null => None,
            Value::String(path) if path == "$default" => None,
            // API Gateway refuses other route keys that end in a slash.
            Value::String(path) if path == "/" => Some(path.clone()),
            Value::String(path) if path.starts_with('/') && !path.ends_with('/') => Some(path.clone()),
            _ => return Err(self.invalid("Path")),
        };
        let method = match (self.property("Method").as_str(), &path) {
            (None, None) => None,
            (Some(any), _) if any.eq_ignore_ascii_case("any") || any == "x-amazon-apigateway-any-method" => {
                None
            }
            (Some(method), Some(_)) => {
                let method = method.to_ascii_uppercase().parse();
                Some(method.map_err(|_| self.invalid("Method"))?)
            }
            _ => return Err(self.invalid("Method")),
        };
        Ok(Route { method, path, function: function.to_owned() })
    }

    fn schedule(&self, function: &str) -> Result<Schedule, TemplateError> {
        let expression =
            self.property("ScheduleExpression").as_str().ok_or_else(|| self.invalid("ScheduleExpression"))?;
        let every = rate::parse(expression)
            .ok_or_else(|| self.error(format!("{expression:?} is not `rate(<number> <unit>)`")))?;
        let input = match self.property("Input") {
            Value::Null => None,
            Value::String(text) => Some(serde_json::from_str(text).map_err(|_| self.invalid("Input"))?),
            _ => return Err(self.invalid("Input")),
        };
        Ok(Schedule { function: function.to_owned(), every, input })
    }

    fn rule(&self, function: &str) -> Result<Rule, TemplateError> {
        let rule = rule(self.property("Pattern")).ok_or_else(|| self.invalid("Pattern"))?;
        Ok(Rule { function: function.to_owned(), ..rule })
    }
}

/// The rule of a pattern, without a function. `None` if the pattern is not supported.
fn rule(pattern: &Value) -> Option<Rule> {
    // A rule with another condition would match too many events here.
    let supported = |key: &Value| matches!(key.as_str(), Some("source" | "detail-type"));
    pattern.as_mapping().filter(|pattern| !pattern.is_empty() && pattern.keys().all(supported))?;
    let (source, detail_type) = (strings(&pattern["source"])?, strings(&pattern["detail-type"])?);
    Some(Rule { function: String::new(), source, detail_type, queue: None })
}

/// The rules whose target is a queue, by the name of the queue in the template.
fn queued_rules(resources: &Mapping) -> Result<BTreeMap<String, Rule>, TemplateError> {
    let of_type = |of_type: &'static str| {
        let is_it = move |resource: &Value| resource["Type"].as_str() == Some(of_type);
        resources.iter().filter(move |(_, resource)| is_it(resource))
    };
    let mut queues = BTreeMap::new();
    for (name, queue) in of_type("AWS::SQS::Queue") {
        let properties = &queue["Properties"];
        let timeout = properties["VisibilityTimeout"].as_u64();
        let receives = properties["RedrivePolicy"]["maxReceiveCount"].as_u64();
        if let (Some(name), Some(timeout), Some(receives)) = (name.as_str(), timeout, receives) {
            let max_receives = u32::try_from(receives).unwrap_or(u32::MAX);
            queues.insert(name, Queue { visibility_timeout: Duration::from_secs(timeout), max_receives });
        }
    }
    let mut rules = BTreeMap::new();
    for (name, resource) in of_type("AWS::Events::Rule") {
        let properties = &resource["Properties"];
        let target = named(&properties["Targets"][0]["Arn"]);
        let queue = target.and_then(|target| Some((target, *queues.get(target)?)));
        let (Some((target, queue)), Some(rule)) = (queue, rule(&properties["EventPattern"])) else {
            return Err(TemplateError::Rule(name.as_str().unwrap_or_default().to_owned()));
        };
        rules.insert(target.to_owned(), Rule { queue: Some(queue), ..rule });
    }
    Ok(rules)
}

/// The resource in `!GetAtt Name.Arn`.
fn named(value: &Value) -> Option<&str> {
    match value {
        Value::Tagged(tagged) if tagged.tag == "GetAtt" => tagged.value.as_str()?.strip_suffix(".Arn"),
        _ => None,
    }
}

/// A list of strings, empty if absent; `None` for any other value.
fn strings(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Null => Some(Vec::new()),
        Value::Sequence(values) => values.iter().map(|value| value.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

fn cors(configuration: &Value) -> Option<Cors> {
    configuration.as_mapping()?;
    let list = |name: &str| strings(&configuration[name]).unwrap_or_default();
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
