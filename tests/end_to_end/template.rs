//! These tests check what a template linter cannot check. `infra/template.yaml` and the code must agree on the table,
//! the functions, the schedules and the events. No function may have more permissions than it needs.

mod events;
mod rights;
mod routes;

use std::collections::BTreeSet;

use registry::metrics::{DIMENSION, Metric, NAMESPACE};
use registry::store::table;
use tests::prelude::*;
use tests::template::{TEMPLATE, root};

fn of_capacity(column: &str) -> Value {
    json!({ "Fn::FindInMap": ["Capacities", { "Ref": "Capacity" }, column] })
}

#[test]
fn table_in_the_template_matches_the_code() {
    let schema = |[hash, range]: [&str; 2]| {
        json!([
            { "AttributeName": hash, "KeyType": "HASH" },
            { "AttributeName": range, "KeyType": "RANGE" },
        ])
    };
    let limits = |read: &str, write: &str| json!({ "MaxReadRequestUnits": of_capacity(read), "MaxWriteRequestUnits": of_capacity(write) });
    let index = |index: &table::Index| {
        let projection = if index.whole_items { "ALL" } else { "KEYS_ONLY" };
        json!({
            "OnDemandThroughput": limits("IndexReadUnits", "IndexWriteUnits"),
            "IndexName": index.name,
            "KeySchema": schema(index.key),
            "Projection": { "ProjectionType": projection },
        })
    };
    let attributes = [table::KEY].into_iter().chain(table::INDEXES.map(|index| index.key)).flatten();
    let definition = |name: &str| json!({ "AttributeName": name, "AttributeType": "S" });
    let expected = json!({
        "OnDemandThroughput": limits("ReadUnits", "WriteUnits"),
        "AttributeDefinitions": attributes.map(definition).collect::<Value>(),
        "KeySchema": schema(table::KEY),
        "GlobalSecondaryIndexes": table::INDEXES.iter().map(index).collect::<Value>(),
        "TimeToLiveSpecification": { "AttributeName": table::TTL_ATTRIBUTE, "Enabled": true },
        "BillingMode": "PAY_PER_REQUEST",
    });
    assert_members(TEMPLATE.properties("Table"), &expected);
}

#[test]
fn functions_in_the_template_match_the_crates() {
    let folders: BTreeSet<String> = std::fs::read_dir(root().join("functions"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let functions = TEMPLATE.functions();
    let named: BTreeSet<String> = functions.keys().map(|name| (*name).to_owned()).collect();
    assert_eq!(named, folders);
    assert_eq!(TEMPLATE.common()["AutoPublishAlias"], "live");
    for (name, function) in functions {
        assert_eq!(function["CodeUri"], format!("../target/lambda/{name}/bootstrap.zip"));
        // Without another value, the alias keeps the version of the last deployment.
        assert_eq!(function["AutoPublishCodeSha256"], json!({ "Ref": "Deployment" }), "{name}");
    }
}

/// The names of its streams contain the function. System lines of each request cost more than the lines of the registry.
#[test]
fn functions_share_a_log_group_and_log_no_system_line_for_each_request() {
    let expected = json!({ "LogGroup": { "Ref": "Logs" }, "LogFormat": "JSON", "SystemLogLevel": "WARN" });
    assert_eq!(TEMPLATE.common()["LoggingConfig"], expected);
    assert!(TEMPLATE.functions().values().all(|function| function.get("LoggingConfig").is_none()));
    assert_eq!(TEMPLATE.properties("Logs")["RetentionInDays"], 30);
}

#[test]
fn functions_get_the_variables_that_settings_read() {
    let common = &TEMPLATE.common()["Environment"]["Variables"];
    let table = json!({ "Fn::If": ["CreatesTable", { "Ref": "Table" }, { "Ref": "ExistingTable" }] });
    assert_eq!(common["TABLE_NAME"], table);
    assert_eq!(common["SETTINGS"], json!({ "Ref": "Settings" }));
    assert_eq!(common["BUS_NAME"], json!({ "Ref": "Bus" }));
    assert_eq!(common["BASE_URL"], json!({ "Ref": "BaseUrl" }));
    for (name, function) in TEMPLATE.functions() {
        // Only an event of the HTTP API tells its address.
        let knows = function["Environment"]["Variables"]["BASE_URL"].to_string().contains("execute-api");
        assert_ne!(knows, has_routes(function), "{name}: BASE_URL");
    }
}

/// The name and the dimensions of each metric that an alarm watches.
fn watched(alarm: &Value) -> BTreeSet<(String, String)> {
    let queries = alarm["Metrics"].as_array().into_iter().flatten();
    let queries = queries.filter_map(|query| query.pointer("/MetricStat/Metric"));
    let all = queries.chain(alarm.get("MetricName").map(|_| alarm));
    all.map(|metric| (metric["MetricName"].as_str().unwrap().to_owned(), metric["Dimensions"].to_string()))
        .collect()
}

fn of_function(id: &str) -> String {
    json!([{ "Name": DIMENSION, "Value": { "Ref": id } }]).to_string()
}

#[test]
fn each_alarm_watches_the_function_that_reports_its_metric() {
    let alarms = TEMPLATE.resources("AWS::CloudWatch::Alarm");
    let own = alarms.values().map(|alarm| &alarm["Properties"]);
    let own = own.filter(|alarm| alarm.to_string().contains(&format!("\"{NAMESPACE}\"")));
    // `NoTick` also asks whether the other schedule runs.
    let own = own.flat_map(watched).filter(|(name, _)| name != "Invocations");
    let own: BTreeSet<(String, String)> = own.collect();
    let expected = Metric::ALL.into_iter().filter(|metric| metric.has_alarm());
    let expected = expected.map(|metric| (metric.as_str().to_owned(), of_function("ProbeTickFunction")));
    assert_eq!(own, expected.collect());
    // A job that is gone reports nothing.
    assert_eq!(TEMPLATE.properties("NoTick")["InsufficientDataActions"], json!([{ "Ref": "Pages" }]));
}

fn has_routes(function: &Value) -> bool {
    let events = function["Events"].as_object();
    events.is_some_and(|events| events.values().any(|event| event["Type"] == "HttpApi"))
}

/// The alarms in the table of `infra/README.md`.
fn documented_alarms() -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("infra/README.md")).unwrap();
    let section = text.split("## Alarms and what to do").nth(1).unwrap().split("\n## ").next().unwrap();
    section.lines().filter_map(|line| Some(line.strip_prefix("| `")?.split('`').next()?.to_owned())).collect()
}

#[test]
fn documented_alarms_are_those_of_the_template() {
    let alarms = TEMPLATE.resources("AWS::CloudWatch::Alarm").into_keys().map(str::to_owned).collect();
    assert_eq!(documented_alarms(), alarms);
}

#[test]
fn alarms_watch_the_table_every_index_and_the_functions() {
    let table = json!({ "Fn::If": ["CreatesTable", { "Ref": "Table" }, { "Ref": "ExistingTable" }] });
    let table = json!({ "Name": "TableName", "Value": table });
    let index = |name: &str| json!([table, { "Name": "GlobalSecondaryIndexName", "Value": name }]);
    let parts: Vec<Value> =
        std::iter::once(json!([table])).chain(table::INDEXES.iter().map(|i| index(i.name))).collect();
    let throttles = ["ReadThrottleEvents", "WriteThrottleEvents"];
    let expected =
        throttles.iter().flat_map(|m| parts.iter().map(move |part| ((*m).to_owned(), part.to_string())));
    assert_eq!(watched(TEMPLATE.properties("TableThrottled")), expected.collect());

    // An expression takes ten metrics: `WorkLags` watches the search index, and a person runs the operator's function.
    let ids = TEMPLATE.resources("AWS::Serverless::Function").into_keys();
    let ids = ids.filter(|id| !["SearchIndexFunction", "OperatorFunction"].contains(id));
    let expected = ids.map(|id| ("Errors".to_owned(), of_function(id))).collect();
    assert_eq!(watched(TEMPLATE.properties("FunctionErrors")), expected);
    for (function, schedule) in TEMPLATE.events("ScheduleV2") {
        assert_eq!(schedule["GroupName"], json!({ "Ref": "ScheduleGroup" }), "{function}");
    }
}

/// Otherwise a flood of requests uses all executions of the account, and after seven days no listing is Live. And a flood of
/// slow requests has no limit of its cost.
#[test]
fn functions_reserve_executions() {
    let mut columns = BTreeSet::new();
    for (name, function) in TEMPLATE.functions() {
        if ["daily-connector", "operator"].contains(&name) {
            continue;
        }
        let choice = &function["ReservedConcurrentExecutions"]["Fn::If"];
        let column = choice.pointer("/1/Fn::FindInMap/2").unwrap().as_str().unwrap();
        assert_eq!(choice, &json!(["Reserves", of_capacity(column), { "Ref": "AWS::NoValue" }]), "{name}");
        assert!(columns.insert(column), "{name} has the column of another function");
    }
}

/// The only log with addresses of callers; the other functions never log one. Some calls contain an access token in the query.
#[test]
fn access_log_contains_the_address_without_the_query_and_is_deleted() {
    let format = TEMPLATE.properties("Api")["AccessLogSettings"]["Format"].as_str().unwrap();
    let is_private = format.to_lowercase().contains("query") || format.contains("$context.request.header");
    assert!(format.contains("$context.path") && !is_private, "{format}");
    let line: Value = serde_json::from_str(format).unwrap();
    assert_eq!(line["address"], "$context.identity.sourceIp");
    // The same id is the `x-request-id` of the answer and in the log lines of the function.
    assert_eq!(line["request_id"], "$context.requestId");
    assert_eq!(TEMPLATE.properties("ApiLogs")["RetentionInDays"], 30);
}

#[test]
fn operator_function_has_no_trigger() {
    assert!(TEMPLATE.functions()["operator"].get("Events").is_none());
    for function in TEMPLATE.functions().into_keys() {
        let statements = json!(TEMPLATE.statements(function)).to_string();
        assert!(!statements.contains("lambda:"), "{function} may invoke others");
    }
}
