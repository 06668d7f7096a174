//! Reads the SAM template as plain JSON. For example, `!Ref X` becomes `{"Ref": "X"}`, and `!GetAtt` becomes
//! `{"Fn::GetAtt": …}`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use serde_yaml_ng::Value as Yaml;

use crate::aws_endpoints::Act;
use crate::rights::is_like;

/// The template under `infra/`, which is read once.
pub static TEMPLATE: LazyLock<Template> = LazyLock::new(|| {
    let text = std::fs::read_to_string(root().join("infra/template.yaml")).unwrap();
    Template { document: plain(serde_yaml_ng::from_str(&text).unwrap()) }
});

/// A SAM template.
#[derive(Debug)]
pub struct Template {
    document: Value,
}

impl Template {
    /// The properties of all functions (`Globals`).
    pub fn common(&self) -> &Value {
        &self.document["Globals"]["Function"]
    }

    /// The properties of the resource with this logical id; null if there is none.
    pub fn properties(&self, logical_id: &str) -> &Value {
        &self.document["Resources"][logical_id]["Properties"]
    }

    /// The resources of a type, by logical id.
    pub fn resources(&self, of_type: &str) -> BTreeMap<&str, &Value> {
        let all = self.document["Resources"].as_object().into_iter().flatten();
        all.filter(|(_, resource)| resource["Type"] == of_type)
            .map(|(id, resource)| (id.as_str(), resource))
            .collect()
    }

    /// The properties of the functions, by crate name.
    pub fn functions(&self) -> BTreeMap<&str, &Value> {
        let functions = self.resources("AWS::Serverless::Function").into_values();
        functions
            .map(|function| {
                let binary = function["Metadata"]["BuildProperties"]["Binary"].as_str();
                (binary.unwrap_or_default(), &function["Properties"])
            })
            .collect()
    }

    /// The events of one type, as `(crate, properties)`.
    pub fn events(&self, of_type: &str) -> Vec<(&str, &Value)> {
        let mut found = Vec::new();
        for (name, function) in self.functions() {
            let events = function["Events"].as_object().into_iter().flatten();
            for (_, event) in events.filter(|(_, event)| event["Type"] == of_type) {
                found.push((name, &event["Properties"]));
            }
        }
        found
    }

    /// The paths of the routes, with their functions.
    pub fn routes(&self) -> Vec<(&str, &str)> {
        let routes = self.events("HttpApi").into_iter();
        routes.filter_map(|(function, route)| Some((route["Path"].as_str()?, function))).collect()
    }

    /// The route and the function of a path, as in API Gateway: an exact route before one with `{proxy+}`, of these the longest
    /// (developer guide, "Working with routes for HTTP APIs").
    pub fn route_of(&self, path: &str) -> (&str, &str) {
        let fitting = self.routes().into_iter().filter(|(pattern, _)| fits(pattern, path));
        let longest = fitting.max_by_key(|(pattern, _)| (!pattern.ends_with(GREEDY), pattern.len()));
        longest.unwrap_or(("$default", "well-known"))
    }

    /// The key of the route of a path, as events contain it.
    pub fn route_key(&self, path: &str) -> String {
        match self.route_of(path).0 {
            "$default" => "$default".to_owned(),
            route => format!("ANY {route}"),
        }
    }

    /// The statements of the policy of a function.
    pub fn statements(&self, function: &str) -> &[Value] {
        let functions = self.functions();
        let role = functions.get(function).and_then(|properties| properties["Role"]["Fn::GetAtt"].as_str());
        let role = self.properties(role.and_then(|arn| arn.strip_suffix(".Arn")).unwrap_or_default());
        role["Policies"][0]["PolicyDocument"]["Statement"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The queue of an event of type `SQS`.
    pub fn queue_of(&self, event: &Value) -> &Value {
        let queue = event["Queue"]["Fn::GetAtt"].as_str().and_then(|name| name.strip_suffix(".Arn"));
        self.properties(queue.unwrap_or_default())
    }

    /// The rules whose events reach a function by a queue, as `(crate, properties)`.
    pub fn queued_rules(&self) -> Vec<(&str, &Value)> {
        let rules = self.resources("AWS::Events::Rule").into_values().map(|rule| &rule["Properties"]);
        let events = self.events("SQS");
        let function = |rule: &Value| {
            let queue = &rule["Targets"][0]["Arn"];
            events.iter().find(|(_, event)| event["Queue"] == *queue).map(|(function, _)| *function)
        };
        rules.filter_map(|rule| Some((function(rule)?, rule))).collect()
    }

    /// Whether the policy of a function allows an access to the table. Evaluates the kinds of statements in this template
    /// as IAM does: actions by name, the table or its indexes, and partition keys by text or prefix.
    pub fn permits(&self, function: &str, act: &Act) -> bool {
        self.statements(function).iter().any(|statement| allows(statement, act))
    }
}

fn allows(statement: &Value, act: &Act) -> bool {
    let resources = match &act.index {
        None => vec![json!({ "Fn::GetAtt": "TableArn.Value" })],
        Some(index) => ["*", index.as_str()]
            .map(|index| json!({ "Fn::Sub": format!("${{TableArn.Value}}/index/{index}") }))
            .to_vec(),
    };
    let condition = &statement["Condition"]["ForAllValues:StringLike"];
    let covers = |pattern: &str| is_like(&act.partition, pattern);
    statement["Effect"] == "Allow"
        && texts(&statement["Action"]).contains(&act.action)
        && resources.contains(&statement["Resource"])
        && (condition.is_null() || texts(&condition["dynamodb:LeadingKeys"]).into_iter().any(covers))
}

/// The end of a route that matches all paths below.
const GREEDY: &str = "{proxy+}";

fn fits(pattern: &str, path: &str) -> bool {
    match pattern.strip_suffix(GREEDY) {
        Some(folder) => path.strip_prefix(folder).is_some_and(|rest| !rest.is_empty()),
        None => pattern == path,
    }
}

/// One text or a list of texts, as a list.
pub fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        single => single.as_str().into_iter().collect(),
    }
}

/// The top folder of the project.
pub fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests).to_path_buf()
}

/// A sample event of the folder `events/`.
pub fn sample_event(name: &str) -> Value {
    let text = std::fs::read_to_string(root().join("events").join(name).with_extension("json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn plain(yaml: Yaml) -> Value {
    match yaml {
        Yaml::Tagged(tagged) => {
            let name = match tagged.tag.to_string().trim_start_matches('!') {
                name @ ("Ref" | "Condition") => name.to_owned(),
                function => format!("Fn::{function}"),
            };
            Value::Object(Map::from_iter([(name, plain(tagged.value))]))
        }
        Yaml::Sequence(items) => items.into_iter().map(plain).collect(),
        Yaml::Mapping(members) => {
            let member = |(key, value): (Yaml, Yaml)| (key.as_str().unwrap().to_owned(), plain(value));
            members.into_iter().map(member).collect()
        }
        scalar => serde_json::to_value(scalar).unwrap(),
    }
}
