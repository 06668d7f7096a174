//! Random documents for property tests. Some are arbitrary JSON. Others have the field names that the parsers
//! read, with arbitrary JSON as values. The names are needed because the parsers reject almost every document
//! without them at the first check.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Number, Value};

/// Names that the readers look for.
const NAMES: &str = "
    $schema _meta additionalInterfaces authentication capabilities choices default defaultInputModes
    description documentationUrl endpoint endpoints environmentVariables environment_variables
    fileSha256 headers icons id identifier io.modelcontextprotocol.registry/publisher-provided
    isRequired name packageArguments packages preferredTransport protocolBinding protocolVersion
    protocolVersions provider registryType registry_name remotes repository schemes securityRequirements
    securitySchemes server serverInfo skills source src subfolder supportedInterfaces tags title tools
    transport transports type url value valueHint variables version version_detail websiteUrl
";

/// Texts that the readers tell apart, and some that they should survive.
const TEXTS: [&str; 30] = [
    "",
    " ",
    "0.2.5",
    "0.3.0",
    "1.0",
    "1.x",
    "2025-06-18",
    "<html>",
    "GRPC",
    "HTTP+JSON",
    "JSONRPC",
    "^1.2",
    "com.example/server",
    "github",
    "https://",
    "https://[::1]:x/",
    "https://a.example/mcp",
    "https://github.com/a/b",
    "https://{host}/mcp",
    "http://localhost:1/",
    "latest",
    "named",
    "none",
    "positional",
    "sse",
    "stdio",
    "streamable-http",
    "{",
    "}{",
    "\u{202E}\u{0}🏴\u{E0067}",
];

/// Any document.
pub(crate) fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| Number::from_f64(number).map_or(Value::Null, Value::from)),
        proptest::sample::select(&TEXTS[..]).prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
    ];
    let names: Vec<&str> = NAMES.split_whitespace().collect();
    let name = prop_oneof![4 => proptest::sample::select(names).prop_map(str::to_owned), 1 => ".{0,8}"];
    leaf.prop_recursive(5, 80, 8, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::Array),
            vec((name.clone(), inner), 0..10)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A document in which one to four members of `whole`, at any depth, are replaced by any JSON.
pub(crate) fn damaged(whole: Value) -> impl Strategy<Value = Value> {
    vec((any::<proptest::sample::Index>(), document()), 1..4).prop_map(move |damage| {
        let mut document = whole.clone();
        for (place, value) in damage {
            let mut places = places(&document);
            let pointer = places.swap_remove(place.index(places.len()));
            if let Some(target) = document.pointer_mut(&pointer) {
                *target = value;
            }
        }
        document
    })
}

/// The pointers to every value inside a document, itself included.
fn places(document: &Value) -> Vec<String> {
    let mut places = vec![String::new()];
    let mut next = 0;
    while let Some(pointer) = places.get(next).cloned() {
        let keys: Vec<String> = match document.pointer(&pointer) {
            Some(Value::Object(members)) => escaped(members),
            Some(Value::Array(items)) => (0..items.len()).map(|index| index.to_string()).collect(),
            _ => Vec::new(),
        };
        places.extend(keys.into_iter().map(|key| format!("{pointer}/{key}")));
        next += 1;
    }
    places
}

/// Member names as JSON pointers write them.
fn escaped(members: &Map<String, Value>) -> Vec<String> {
    members.keys().map(|name| name.replace('~', "~0").replace('/', "~1")).collect()
}
