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

#[test]
fn table_in_the_template_matches_the_code() {
    let schema = |[hash, range]: [&str; 2]| {
        json!([
            { "AttributeName": hash, "KeyType": "HASH" },
            { "AttributeName": range, "KeyType": "RANGE" },
        ])
    };
    let limits = json!({ "MaxReadRequestUnits": { "Ref": "MaxReadUnits" }, "MaxWriteRequestUnits": { "Ref": "MaxWriteUnits" } });
    let insights = json!({ "Enabled": true, "Mode": "THROTTLED_KEYS" });
    let index = |index: &table::Index| {
        let projection = if index.whole_items { "ALL" } else { "KEYS_ONLY" };
        json!({
            "OnDemandThroughput": limits,
            "ContributorInsightsSpecification": insights,
            "IndexName": index.name,
            "KeySchema": schema(index.key),
            "Projection": { "ProjectionType": projection },
        })
    };
    let attributes = [table::KEY].into_iter().chain(table::INDEXES.map(|index| index.key)).flatten();
    let definition = |name: &str| json!({ "AttributeName": name, "AttributeType": "S" });
    let expected = json!({
        "OnDemandThroughput": limits,
        "ContributorInsightsSpecification": insights,
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
    for (name, function) in functions {
        assert_eq!(function["CodeUri"], format!("../target/lambda/{name}/bootstrap.zip"));
    }
}

#[test]
fn every_function_has_an_alarm_and_a_log_group() {
    let alarms = TEMPLATE.resources("AWS::CloudWatch::Alarm");
    let watched: BTreeSet<&str> = alarms
        .values()
        .map(|alarm| &alarm["Properties"])
        .filter(|alarm| alarm["MetricName"] == "Errors")
        .filter_map(|alarm| alarm["Dimensions"][0]["Value"]["Ref"].as_str())
        .collect();
    let functions = TEMPLATE.resources("AWS::Serverless::Function");
    assert_eq!(watched, functions.keys().copied().collect());

    let groups = TEMPLATE.resources("AWS::Logs::LogGroup");
    let mut used = BTreeSet::new();
    for (id, function) in functions {
        let group = function["Properties"]["LoggingConfig"]["LogGroup"]["Ref"].as_str().unwrap();
        assert!(groups[group]["Properties"]["RetentionInDays"].is_object(), "{group} has no retention");
        assert!(used.insert(group), "{id} uses the log group of another function");
    }
}

#[test]
fn functions_get_the_variables_that_settings_read() {
    let common = &TEMPLATE.common()["Environment"]["Variables"];
    let table = json!({ "Fn::If": ["CreatesTable", { "Ref": "Table" }, { "Ref": "ExistingTable" }] });
    assert_eq!(common["TABLE_NAME"], table);
    assert_eq!(common["SETTINGS"], json!({ "Ref": "Settings" }));
    for (name, function) in TEMPLATE.functions() {
        let variables = &function["Environment"]["Variables"];
        assert!(variables["BASE_URL"].to_string().contains(r#""Ref":"BaseUrl""#), "{name} has no BASE_URL");
        let sends = function["Policies"].to_string().contains("events:PutEvents");
        assert_eq!(sends, variables["BUS_NAME"].is_object(), "{name}: BUS_NAME and events:PutEvents");
    }
}

/// Metrics with an alarm; the others are only on the dashboard.
const WITH_ALARM: [Metric; 8] = [
    Metric::ScheduledTicks,
    Metric::OldestOverdueRecheck,
    Metric::OldestPendingLeaf,
    Metric::OldestUnindexedChange,
    Metric::PublishToProof,
    Metric::CanaryFailures,
    Metric::FlaggedPayments,
    Metric::UnreadableLeaves,
];

#[test]
fn each_alarm_watches_the_function_that_reports_its_metric() {
    let alarms = TEMPLATE.resources("AWS::CloudWatch::Alarm");
    let own = alarms.values().map(|alarm| &alarm["Properties"]);
    let own: Vec<&Value> = own.filter(|alarm| alarm["Namespace"] == NAMESPACE).collect();
    let watched: BTreeSet<&str> = own.iter().filter_map(|alarm| alarm["MetricName"].as_str()).collect();
    assert_eq!(watched, WITH_ALARM.map(Metric::as_str).into());
    for alarm in own {
        let reporter = json!([{ "Name": DIMENSION, "Value": { "Ref": "ProbeTickFunction" } }]);
        assert_eq!(alarm["Dimensions"], reporter);
    }
    // The bus invokes the function too, so its invocations do not prove that the schedule runs.
    assert!(alarms.values().all(|alarm| alarm["Properties"]["MetricName"] != "Invocations"));
    assert_eq!(TEMPLATE.properties("NoTick")["TreatMissingData"], "breaching");
}

fn has_routes(function: &Value) -> bool {
    let events = function["Events"].as_object();
    events.is_some_and(|events| events.values().any(|event| event["Type"] == "HttpApi"))
}

/// A new version of these functions gets requests step by step, and none after an alarm.
#[test]
fn deployments_of_functions_with_routes_are_undone_after_errors() {
    let filters = TEMPLATE.resources("AWS::Logs::MetricFilter");
    let mut counted = BTreeSet::new();
    for (id, function) in TEMPLATE.resources("AWS::Serverless::Function") {
        let function = &function["Properties"];
        if !has_routes(function) {
            continue;
        }
        assert_eq!(function["AutoPublishAlias"], "live", "{id}");
        assert_eq!(function["AutoPublishCodeSha256"], json!({ "Ref": "Deployment" }), "{id}");
        let own_alarm = id.replace("Function", "Errors");
        let alarms = json!({ "Fn::If": ["IsGradual", [{ "Ref": own_alarm }, { "Ref": "ErrorLines" }], []] });
        let preference = json!({ "Type": { "Ref": "Rollout" }, "Alarms": alarms });
        assert_eq!(function["DeploymentPreference"], preference, "{id}");
        counted.insert(function["LoggingConfig"]["LogGroup"].to_string());
    }
    let filters = filters.values().map(|filter| &filter["Properties"]);
    let filters: Vec<&Value> =
        filters.filter(|filter| filter["FilterPattern"] == r#"{ $.level = "ERROR" }"#).collect();
    let alarm = TEMPLATE.properties("ErrorLines");
    for filter in &filters {
        let metric = &filter["MetricTransformations"][0];
        let expected = json!({ "MetricNamespace": alarm["Namespace"], "MetricName": alarm["MetricName"] });
        assert_members(metric, &expected);
    }
    let groups: BTreeSet<_> = filters.iter().map(|filter| filter["LogGroupName"].to_string()).collect();
    assert_eq!(groups, counted);
}

/// The alarms in the table of `infra/README.md`, with one for each function for `<Function>Errors`.
fn documented_alarms() -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("infra/README.md")).unwrap();
    let section = text.split("## Alarms and what to do").nth(1).unwrap().split("\n## ").next().unwrap();
    let names = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let functions = TEMPLATE.resources("AWS::Serverless::Function").into_keys();
    let functions: Vec<&str> = functions.map(|id| id.strip_suffix("Function").unwrap()).collect();
    let alarms = names.flat_map(|name| match name.strip_prefix("<Function>") {
        Some(suffix) => functions.iter().map(|function| format!("{function}{suffix}")).collect(),
        None => vec![name.to_owned()],
    });
    alarms.collect()
}

#[test]
fn documented_alarms_are_those_of_the_template() {
    let alarms = TEMPLATE.resources("AWS::CloudWatch::Alarm").into_keys().map(str::to_owned).collect();
    assert_eq!(documented_alarms(), alarms);
    for (name, alarm) in TEMPLATE.resources("AWS::CloudWatch::Alarm") {
        assert!(alarm["Properties"]["AlarmActions"].is_object(), "{name} notifies nobody");
    }
}

/// The metrics of an alarm that computes: name and dimensions.
fn computed_from(alarm: &str) -> BTreeSet<(String, String)> {
    let metrics = TEMPLATE.properties(alarm)["Metrics"].as_array().unwrap();
    assert!(metrics.len() <= 11, "{alarm}: CloudWatch allows ten metrics in an expression");
    let metrics = metrics.iter().filter_map(|query| query.pointer("/MetricStat/Metric"));
    metrics.map(|m| (m["MetricName"].as_str().unwrap().to_owned(), m["Dimensions"].to_string())).collect()
}

/// The metric of the failures of a rule.
fn failures_of(rule: &Value) -> (String, String) {
    let bus = json!({ "Name": "EventBusName", "Value": { "Ref": "Bus" } });
    ("FailedInvocations".to_owned(), json!([bus, { "Name": "RuleName", "Value": rule }]).to_string())
}

#[test]
fn alarms_watch_the_table_and_every_index_function_and_rule() {
    let table = json!({ "Fn::If": ["CreatesTable", { "Ref": "Table" }, { "Ref": "ExistingTable" }] });
    let table = json!({ "Name": "TableName", "Value": table });
    let index = |name: &str| json!([table, { "Name": "GlobalSecondaryIndexName", "Value": name }]);
    let parts: Vec<Value> =
        std::iter::once(json!([table])).chain(table::INDEXES.iter().map(|i| index(i.name))).collect();
    let throttles = ["ReadThrottleEvents", "WriteThrottleEvents"];
    let expected =
        throttles.iter().flat_map(|m| parts.iter().map(move |part| ((*m).to_owned(), part.to_string())));
    assert_eq!(computed_from("TableThrottled"), expected.collect());

    let resources = TEMPLATE.resources("AWS::Serverless::Function");
    let functions = |metric: &str, watched: &dyn Fn(&Value) -> bool| -> BTreeSet<(String, String)> {
        let ids = resources.iter().filter(|(_, function)| watched(&function["Properties"])).map(|(id, _)| id);
        let dimensions = |id: &&str| json!([{ "Name": DIMENSION, "Value": { "Ref": id } }]).to_string();
        ids.map(|id| (metric.to_owned(), dimensions(id))).collect()
    };
    let gets_events = |function: &Value| function["EventInvokeConfig"].is_object();
    assert_eq!(computed_from("FunctionsThrottled"), functions("Throttles", &has_routes));
    assert_eq!(computed_from("EventsLate"), functions("AsyncEventAge", &gets_events));
    assert_eq!(computed_from("EventsDropped"), functions("AsyncEventsDropped", &gets_events));

    let of_functions = resources.iter().flat_map(|(id, function)| {
        let events = function["Properties"]["Events"].as_object().into_iter().flatten();
        let rules = events.filter(|(_, event)| event["Type"] == "EventBridgeRule");
        rules.map(move |(name, _)| format!("{id}{name}"))
    });
    let others = TEMPLATE.resources("AWS::Events::Rule").into_keys().map(str::to_owned);
    let rule = |id: String| json!({ "Fn::Select": [1, { "Fn::Split": ["|", { "Ref": id }] }] });
    let rules = of_functions.chain(others).map(|id| failures_of(&rule(id))).collect();
    assert_eq!(computed_from("RulesFail"), rules);
    for (function, schedule) in TEMPLATE.events("ScheduleV2") {
        assert_eq!(schedule["GroupName"], json!({ "Ref": "ScheduleGroup" }), "{function}");
    }
}

/// System lines of each request cost more than the lines of the registry.
#[test]
fn functions_log_no_system_line_for_each_request() {
    assert_eq!(TEMPLATE.common()["LoggingConfig"], json!({ "LogFormat": "JSON", "SystemLogLevel": "WARN" }));
}

#[test]
fn dashboard_contains_every_metric_and_alarm() {
    let body = TEMPLATE.properties("Dashboard")["DashboardBody"]["Fn::Sub"][0].as_str().unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    let widgets = body["widgets"].as_array().unwrap();
    let rows = widgets.iter().filter_map(|widget| widget["properties"]["metrics"].as_array()).flatten();
    let shown: BTreeSet<&str> = rows
        .filter(|row| row[0] == NAMESPACE && row[2] == DIMENSION)
        .filter_map(|row| row[1].as_str())
        .collect();
    assert_eq!(shown, Metric::ALL.map(Metric::as_str).into());
    let arns = widgets[0]["properties"]["alarms"].as_array().unwrap().iter();
    let listed: BTreeSet<&str> =
        arns.filter_map(|arn| arn.as_str()?.strip_prefix("${")?.strip_suffix(".Arn}")).collect();
    assert_eq!(listed, TEMPLATE.resources("AWS::CloudWatch::Alarm").into_keys().collect());
}

/// Otherwise a flood of requests uses all executions of the account, and after seven days no listing is Live.
#[test]
fn probes_rechecks_and_the_search_index_reserve_executions() {
    for (function, reserved) in [
        ("search-index", json!(3)),
        ("probe-tick", json!({ "Ref": "ProbeTickConcurrency" })),
        ("weekly-recheck", json!({ "Ref": "WeeklyRecheckConcurrency" })),
    ] {
        let expected = json!({ "Fn::If": ["ReservesConcurrency", reserved, { "Ref": "AWS::NoValue" }] });
        assert_eq!(TEMPLATE.functions()[function]["ReservedConcurrentExecutions"], expected, "{function}");
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
    assert!(TEMPLATE.properties("ApiLogs")["RetentionInDays"].is_object());
}

#[test]
fn operator_function_has_no_trigger() {
    assert!(TEMPLATE.functions()["operator"].get("Events").is_none());
    for (function, properties) in TEMPLATE.functions() {
        assert!(!properties["Policies"].to_string().contains("lambda:"), "{function} may invoke others");
    }
}
