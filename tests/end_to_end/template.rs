//! These tests check what a template linter cannot check. `infra/template.yaml` and the code must agree on the table,
//! the functions, the schedules and the events. No function may have more permissions than it needs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use axum::body::Body;
use http::{Method, Request, StatusCode};
use insta::assert_snapshot;
use lambda_http::RequestExt;
use local::functions::HttpFunction;
use registry::discovery::GUIDES;
use registry::documents::DOCUMENTS;
use registry::events::{Event, SOURCE, What};
use registry::features::CATALOGUE;
use registry::metrics::{DIMENSION, Metric, NAMESPACE};
use registry::model::Moment;
use registry::openapi::OPENAPI;
use registry::pages::{ASSETS, PAGES};
use registry::store::table;
use tests::aws_endpoints::Act;
use tests::prelude::*;
use tests::rights::{self, Access, RIGHTS};
use tests::sample_events;
use tests::template::{TEMPLATE, fits, root, sample_event, texts};
use tests::test_registry::snapshot_of;
use tower::ServiceExt as _;

#[test]
fn table_in_the_template_matches_the_code() {
    let properties = TEMPLATE.properties("Table");
    let schema = |key: [&str; 2]| {
        json!([
            { "AttributeName": key[0], "KeyType": "HASH" },
            { "AttributeName": key[1], "KeyType": "RANGE" },
        ])
    };
    let attributes: Vec<&str> =
        [table::KEY].into_iter().chain(table::INDEXES.map(|i| i.key)).flatten().collect();
    let definitions: Value =
        attributes.iter().map(|name| json!({ "AttributeName": name, "AttributeType": "S" })).collect();
    let limits = json!({ "MaxReadRequestUnits": { "Ref": "MaxReadUnits" }, "MaxWriteRequestUnits": { "Ref": "MaxWriteUnits" } });
    assert_eq!(properties["OnDemandThroughput"], limits);
    let insights = json!({ "Enabled": true, "Mode": "THROTTLED_KEYS" });
    assert_eq!(properties["ContributorInsightsSpecification"], insights);
    let indexes: Value = table::INDEXES
        .iter()
        .map(|index| {
            let projection = if index.whole_items { "ALL" } else { "KEYS_ONLY" };
            json!({
                "OnDemandThroughput": limits,
                "ContributorInsightsSpecification": insights,
                "IndexName": index.name,
                "KeySchema": schema(index.key),
                "Projection": { "ProjectionType": projection },
            })
        })
        .collect();

    assert_eq!(properties["AttributeDefinitions"], definitions);
    assert_eq!(properties["KeySchema"], schema(table::KEY));
    assert_eq!(properties["GlobalSecondaryIndexes"], indexes);
    let ttl = json!({ "AttributeName": table::TTL_ATTRIBUTE, "Enabled": true });
    assert_eq!(properties["TimeToLiveSpecification"], ttl);
    assert_eq!(properties["BillingMode"], "PAY_PER_REQUEST");
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

/// A local registry does not read the template: it has the same configuration in code.
#[tokio::test]
async fn local_functions_are_configured_as_in_the_template() {
    let registry = TestRegistry::start().await;
    let (http, jobs) = (local::functions::http(&registry.app), local::functions::jobs(&registry.app));
    let timeouts = http.iter().map(|(name, function)| (*name, function.timeout));
    let timeouts = timeouts.chain(jobs.iter().map(|(name, function)| (*name, function.timeout)));
    for (name, timeout) in timeouts {
        let own = &TEMPLATE.functions()[name]["Timeout"];
        let expected = own.as_u64().or_else(|| TEMPLATE.common()["Timeout"].as_u64());
        assert_eq!(Some(timeout.as_secs()), expected, "timeout of {name}");
    }

    let rates = TEMPLATE.events("ScheduleV2").into_iter();
    let rates: BTreeMap<&str, &str> =
        rates.map(|(name, event)| (name, event["ScheduleExpression"].as_str().unwrap())).collect();
    let rate = |every: Duration| match every.as_secs() / 60 {
        1 => "rate(1 minute)".to_owned(),
        60 => "cron(0 * * * ? *)".to_owned(),
        // At multiples of its interval, as statistics and status say; the phase of a rate begins with the deployment.
        minutes => format!("cron(0/{minutes} * * * ? *)"),
    };
    let expected: BTreeMap<&str, String> =
        jobs.iter().map(|(name, function)| (*name, rate(function.every))).collect();
    assert_eq!(rates, expected.iter().map(|(name, rate)| (*name, rate.as_str())).collect());

    let by_bus = TEMPLATE.events("EventBridgeRule").into_iter();
    let by_bus = by_bus.map(|(name, event)| (name, &event["Pattern"], &Value::Null));
    let by_queue = TEMPLATE.queued_rules().into_iter().map(|(name, rule)| {
        let (_, event) = TEMPLATE.events("SQS").into_iter().find(|(function, _)| *function == name).unwrap();
        (name, &rule["EventPattern"], TEMPLATE.queue_of(event))
    });
    let mut getting = BTreeSet::new();
    for (name, pattern, queue) in by_bus.chain(by_queue) {
        assert_eq!((texts(&pattern["source"]), pattern.as_object().unwrap().len()), (vec![SOURCE], 2));
        assert_eq!(texts(&pattern["detail-type"]), jobs[name].events, "{name}");
        let found = jobs[name].queue.map(|queue| (queue.visibility_timeout.as_secs(), queue.max_receives));
        let receives = queue["RedrivePolicy"]["maxReceiveCount"].as_u64();
        let receives = receives.map(|receives| u32::try_from(receives).unwrap());
        assert_eq!(found, queue["VisibilityTimeout"].as_u64().zip(receives), "queue of {name}");
        assert!(getting.insert(name), "{name} has two rules");
    }
    let with_events = jobs.iter().filter(|(_, function)| !function.events.is_empty());
    assert_eq!(getting, with_events.map(|(name, _)| *name).collect());

    let cors = &TEMPLATE.properties("Api")["CorsConfiguration"];
    let origin = ("origin", "https://elsewhere.example");
    let preflight = [origin, ("access-control-request-method", "POST")];
    let preflight = registry.send("OPTIONS", "/", &preflight, "").await;
    let read = registry.send("GET", "/", &[origin], "").await;
    for (reply, header, name) in [
        (&preflight, "access-control-allow-origin", "AllowOrigins"),
        (&preflight, "access-control-allow-methods", "AllowMethods"),
        (&preflight, "access-control-allow-headers", "AllowHeaders"),
        (&read, "access-control-expose-headers", "ExposeHeaders"),
    ] {
        let found: BTreeSet<&str> = reply.header(header).split(',').collect();
        assert_eq!(found, texts(&cors[name]).into_iter().collect(), "{name}");
    }
    assert_eq!(preflight.header("access-control-max-age"), cors["MaxAge"].to_string());
}

#[test]
fn every_schedule_has_a_sample_event() {
    for (function, schedule) in TEMPLATE.events("ScheduleV2") {
        let mut input: Value = serde_json::from_str(schedule["Input"].as_str().unwrap()).unwrap();
        assert_eq!(input["time"], "<aws.scheduler.scheduled-time>");
        let sample = sample_event(function).unwrap();
        let time = sample["time"].as_str().unwrap();
        time.parse::<Moment>().unwrap();
        input["time"] = time.into();
        assert_eq!(sample, input);
        assert_eq!(sample["detail-type"], function);
    }
}

#[test]
fn undelivered_events_go_to_the_dead_letter_queue() {
    let dead_letters = json!({ "Fn::GetAtt": "DeadLetters.Arn" });
    for of_type in ["ScheduleV2", "EventBridgeRule"] {
        for (function, event) in TEMPLATE.events(of_type) {
            assert_eq!(event["DeadLetterConfig"]["Arn"], dead_letters, "{of_type} of {function}");
            assert!(event["RetryPolicy"]["MaximumRetryAttempts"].is_u64());
            let asynchronous = &TEMPLATE.functions()[function]["EventInvokeConfig"];
            assert_eq!(asynchronous["DestinationConfig"]["OnFailure"]["Destination"], dead_letters);
        }
    }
    for (name, rule) in TEMPLATE.resources("AWS::Events::Rule") {
        let target = &rule["Properties"]["Targets"][0];
        assert_eq!(target["DeadLetterConfig"]["Arn"], dead_letters, "{name}");
    }
    for (function, event) in TEMPLATE.events("SQS") {
        let queue = TEMPLATE.queue_of(event);
        assert_eq!(queue["RedrivePolicy"]["deadLetterTargetArn"], dead_letters, "{function}");
        // Else a message is delivered again while it is being handled.
        let timeout = TEMPLATE.functions()[function]["Timeout"].as_u64().unwrap();
        assert!(queue["VisibilityTimeout"].as_u64().unwrap() >= timeout, "{function}");
    }
}

#[test]
fn event_rules_match_the_events_that_are_sent() {
    let rules = TEMPLATE.queued_rules();
    let receivers = |what: What| -> Vec<&str> {
        let matching = rules.iter().filter(|(_, rule)| {
            assert_eq!(rule["EventBusName"], json!({ "Ref": "Bus" }));
            texts(&rule["EventPattern"]["source"]) == [SOURCE]
                && texts(&rule["EventPattern"]["detail-type"]).contains(&what.as_str())
        });
        matching.map(|(function, _)| *function).collect()
    };
    assert_eq!(receivers(What::Queued), ["probe-tick"]);
    for what in [What::Live, What::Demoted, What::Withdrawn] {
        assert_eq!(receivers(what), ["search-index"], "{what:?}");
    }
    assert!(receivers(What::NeedsFix).is_empty());

    let publish = sample_event("publish").unwrap();
    let body: Value = serde_json::from_str(publish["body"].as_str().unwrap()).unwrap();
    let listing_id = ListingId::of_url(&body["url"].as_str().unwrap().parse().unwrap());
    let at = "2026-11-20T12:00:00Z".parse().unwrap();
    let mut sent = Event { what: What::Queued, listing_id, kind: None, at }.envelope();
    let sample = sample_event("listing-queued").unwrap();
    // The bus adds the id of the request.
    sent["detail"]["cause"] = publish["requestContext"]["requestId"].clone();
    for member in ["source", "detail-type"] {
        assert_eq!(sample[member], sent[member]);
    }
    assert_eq!(sample["detail"], sent["detail"]);
    assert_eq!(sample["time"].as_str().unwrap().parse::<Moment>().unwrap(), at);
}

#[test]
fn every_route_has_a_valid_sample_event() {
    let routes: BTreeSet<String> = TEMPLATE
        .events("HttpApi")
        .into_iter()
        .map(|(_, route)| match (route["Method"].as_str().unwrap(), route["Path"].as_str().unwrap()) {
            ("ANY", "$default") => "$default".to_owned(),
            (method, path) => format!("{method} {path}"),
        })
        .collect();

    let mut sampled = BTreeSet::new();
    for (name, event) in sample_events::all().unwrap() {
        let Some(route) = event["routeKey"].as_str() else { continue };
        assert_eq!(event["requestContext"]["routeKey"], route, "{name}");
        sampled.insert(route.to_owned());

        let request = lambda_http::request::from_str(&event.to_string()).unwrap();
        assert_eq!(request.raw_http_path(), event["rawPath"].as_str().unwrap(), "{name}");
        assert_eq!(request.method().as_str(), event["requestContext"]["http"]["method"], "{name}");
        let pattern = route.split(' ').next_back().unwrap();
        assert!(pattern == "$default" || fits(pattern, request.raw_http_path()), "{name} is not for {route}");
        let query = request.uri().query().unwrap_or_default();
        assert_eq!(query.is_empty(), event["rawQueryString"] == "", "{name}");
    }
    assert_eq!(sampled, routes);
}

/// Whether a function serves a path: DELETE returns 405 there, and not 404.
async fn is_served(functions: &BTreeMap<&'static str, HttpFunction>, function: &str, path: &str) -> bool {
    let request = Request::builder().uri(path).method(Method::DELETE).body(Body::empty()).unwrap();
    let answer = functions[function].router.clone().oneshot(request).await.unwrap();
    answer.status() == StatusCode::METHOD_NOT_ALLOWED
}

#[tokio::test]
async fn operations_and_documents_are_served_by_their_function() {
    let registry = TestRegistry::start().await;
    let functions = local::functions::http(&registry.app);
    let routes = CATALOGUE.iter().flat_map(|operation| operation.routes);
    let operations = routes.map(|route| (if route.is_post() { "POST" } else { "GET" }, route.path));
    let documents = [DOCUMENTS, GUIDES, PAGES, ASSETS].into_iter().flatten().copied();
    let documents = documents.chain(std::iter::once(&OPENAPI)).flat_map(|document| document.paths);
    let documents = documents.map(|path| ("GET", *path));
    let (mut owned, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for (method, path) in operations.chain(documents) {
        assert!(owned.insert((method, path)), "{method} {path} has two owners");
        seen.insert(path);
        let path = path.replace("{name}", "live");
        let function = TEMPLATE.function_of(&path);
        assert!(is_served(&functions, function, &path).await, "{function} does not serve {path}");
    }
    // The signature covers the raw body, so the webhook is not an operation.
    let webhook = "/api/products/checkout/webhook";
    assert!(is_served(&functions, TEMPLATE.function_of(webhook), webhook).await);
    seen.insert(webhook);
    let exact: Vec<&str> = TEMPLATE
        .events("HttpApi")
        .into_iter()
        .filter(|(function, _)| {
            matches!(*function, "publish" | "listings" | "pages" | "products" | "talk" | "well-known")
        })
        .filter_map(|(_, route)| route["Path"].as_str())
        .filter(|path| !path.contains("{proxy+}") && *path != "$default" && *path != "/api/ard")
        .collect();
    for path in exact {
        assert!(seen.contains(path), "no operation or document has the route {path} of the template");
    }
}

#[test]
fn longest_matching_route_is_chosen() {
    assert_eq!(TEMPLATE.function_of("/api/a2a/.well-known/agent-card.json"), "well-known");
    assert_eq!(TEMPLATE.function_of("/api/a2a/tasks"), "a2a");
    assert_eq!(TEMPLATE.function_of("/nowhere"), "well-known");
}

/// The lines of the template around the generated statements of a function.
const RIGHTS_BEGIN: &str = "            # Rights of ";
const RIGHTS_END: &str = "            # End of the rights.";

/// The lines around the generated routes of a function.
const ROUTES_BEGIN: &str = "        # Routes of ";
const ROUTES_END: &str = "        # End of the routes.";

/// The statements of a function, made from [`RIGHTS`].
fn statements(function: &str) -> String {
    let mut kinds: Vec<(Vec<Access>, Vec<&str>)> = Vec::new();
    for access in Access::ALL {
        let partitions = rights::partitions(function, access);
        if partitions.is_empty() {
            continue;
        }
        match kinds.iter_mut().find(|(kinds, of)| *of == partitions && kinds[0].index() == access.index()) {
            Some((kinds, _)) => kinds.push(access),
            None => kinds.push((vec![access], partitions)),
        }
    }
    let mut text = String::new();
    for (accesses, partitions) in kinds {
        let mut name = String::new();
        for access in &accesses {
            let word = access.as_str();
            name += &word[..1].to_uppercase();
            name += &word[1..];
        }
        let actions: Vec<&str> = accesses.iter().flat_map(|access| access.actions()).copied().collect();
        let resource = match accesses[0].index() {
            None => "!GetAtt TableArn.Value".to_owned(),
            Some(index) => format!("!Sub \"${{TableArn.Value}}/index/{index}\""),
        };
        write!(
            text,
            "            - Sid: {name}\n              Effect: Allow\n              Action: [{}]\n              \
             Resource: {resource}\n              Condition:\n                ForAllValues:StringLike:\n                  \
             \"dynamodb:LeadingKeys\":\n{}                \"Null\": {{ \"dynamodb:LeadingKeys\": \"false\" }}\n",
            actions.join(", "),
            wrapped(&partitions),
        )
        .unwrap();
    }
    text
}

/// A list in brackets, on lines of at most 118 characters.
fn wrapped(partitions: &[&str]) -> String {
    const INDENT: &str = "                    ";
    let mut lines = vec![format!("{INDENT}[")];
    for (number, partition) in partitions.iter().enumerate() {
        let end = if number + 1 == partitions.len() { "]" } else { "," };
        let item = format!("\"{partition}\"{end}");
        let line = lines.last_mut().unwrap();
        if line.len() + 1 + item.len() > 118 {
            lines.push(format!("{INDENT} {item}"));
        } else {
            if !line.ends_with('[') {
                line.push(' ');
            }
            line.push_str(&item);
        }
    }
    lines.join("\n") + "\n"
}

/// The template with the lines between each `begin` and `end` made anew by `generated`, and the functions that have such
/// lines. With UPDATE=1 it is written.
fn regenerate(begin: &str, end: &str, generated: impl Fn(&str) -> String) -> BTreeSet<String> {
    let file = root().join("infra/template.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    let (mut current, mut functions, mut skips) = (String::new(), BTreeSet::new(), false);
    for line in text.lines() {
        skips &= line != end;
        if !skips {
            current += line;
            current.push('\n');
        }
        if let Some(rest) = line.strip_prefix(begin) {
            let function = rest.split([',', ' ']).next().unwrap();
            current += &generated(function);
            functions.insert(function.to_owned());
            skips = true;
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(file, &current).unwrap();
    } else {
        assert!(text == current, "run `UPDATE=1 cargo test -p tests template::`");
    }
    functions
}

/// In one test, because both write the same file.
#[tokio::test]
async fn policies_and_routes_are_generated() {
    let registry = TestRegistry::start().await;
    let functions = local::functions::http(&registry.app);
    let routes = |function: &str| {
        let mut paths = functions[function].paths.clone();
        let prefixes: Vec<&str> = paths.iter().filter_map(|path| Some(path.split_once("{*")?.0)).collect();
        paths.retain(|path| path.contains("{*") || !prefixes.iter().any(|prefix| path.starts_with(prefix)));
        paths.sort_unstable();
        paths.dedup();
        paths.iter().map(|path| route(path)).collect()
    };
    let with_policies = regenerate(RIGHTS_BEGIN, RIGHTS_END, statements);
    assert!(with_policies.iter().map(String::as_str).eq(TEMPLATE.functions().into_keys()));
    let with_routes = regenerate(ROUTES_BEGIN, ROUTES_END, routes);
    assert!(with_routes.iter().eq(["listings", "products", "publish", "talk"]), "all that serve operations");
}

/// The event of a function for a path.
fn route(path: &str) -> String {
    let words = path.split(['/', '-', '.']).filter(|word| !word.starts_with('{') && *word != "api");
    let name: String = words.filter_map(|word| Some(word.get(..1)?.to_uppercase() + &word[1..])).collect();
    let (name, path) = match path.split_once("{*") {
        None => (name, path.to_owned()),
        Some((before, _)) => (name + "Below", format!("{before}{{proxy+}}")),
    };
    format!(
        "        {name}: {{ Type: HttpApi, Properties: {{ ApiId: !Ref Api, Path: \"{path}\", Method: ANY }} }}\n"
    )
}

/// Every function with every access to every kind of partition.
#[test]
fn policies_allow_exactly_the_rights_of_the_table() {
    let mut samples = BTreeSet::from(["ELSE#x".to_owned()]);
    for (partitions, ..) in RIGHTS.iter() {
        let text = partitions.strip_suffix('*').unwrap_or(partitions);
        samples.extend([
            partitions.replace('*', "x"),
            format!("{text}x"),
            text.trim_end_matches('#').to_owned(),
        ]);
    }
    let mut checked = 0;
    for function in TEMPLATE.functions().into_keys() {
        for (access, sample) in
            Access::ALL.iter().flat_map(|access| samples.iter().map(move |s| (*access, s)))
        {
            let allowed = rights::permits(function, access, sample).is_some();
            for action in access.actions() {
                let index = access.index().map(str::to_owned);
                let act = Act { action, index, partition: sample.clone() };
                assert_eq!(TEMPLATE.permits(function, &act), allowed, "{function}: {act:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 10_000, "{checked} combinations");
    let functions: BTreeSet<&str> = RIGHTS.iter().flat_map(|(.., functions)| functions.split(' ')).collect();
    assert_eq!(functions, TEMPLATE.functions().into_keys().collect(), "functions with rights");
}

#[test]
fn statements_are_limited_to_actions_resources_and_partitions() {
    for (function, properties) in TEMPLATE.functions() {
        let statements = properties["Policies"][0]["Statement"].as_array().unwrap();
        assert_eq!(properties["Policies"].as_array().unwrap().len(), 1);
        for statement in statements {
            // A statement that depends on a parameter; without the parameter there is no statement.
            let statement = statement.get("Fn::If").map_or(statement, |choice| &choice[1]);
            let actions = texts(&statement["Action"]);
            assert!(!actions.is_empty() && actions.iter().all(|action| !action.contains('*')), "{statement}");
            assert!(statement["Resource"].is_object(), "{function}: not limited to this stack: {statement}");
            if actions == ["dynamodb:Scan"] {
                assert_eq!(function, "operator", "only an erasure reads the whole table");
            } else if actions[0].starts_with("dynamodb:") {
                let condition = &statement["Condition"];
                assert_eq!(condition["Null"]["dynamodb:LeadingKeys"], "false", "{function}: {statement}");
                let partitions = texts(&condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]);
                assert!(!partitions.is_empty(), "{function}: {statement}");
                assert!(partitions.iter().all(|partition| partition.len() > 2), "{function}: {statement}");
            }
        }
        // IAM: at most 10,240 characters in the inline policies of a role, without white space.
        let arn =
            "arn:aws:dynamodb:ap-southeast-1:123456789012:table/a-stack-with-a-long-name-Table-1ABCDEFGHIJKL";
        let size = serde_json::to_string(statements).unwrap().len() + statements.len() * arn.len();
        assert!(size < 10_000, "the policy of {function} has {size} characters");
    }
}

/// The partitions that matter most.
const SENSITIVE: &str = "KEY#ES256 KEY#LOG KEY#MESSAGE TOKEN#x CODE#x PURCHASE#x PAYMENT#x SEAT#x CALLER_KEYS FEEDBACK#x \
    CHALLENGE#x CONTACT#x LOG#PENDING LOG#TREE LOG#tile/0/000 INDEX#00";

/// A second list, so that a change of the rights of these partitions is a decision and not a side effect.
#[test]
fn sensitive_partitions_are_open_only_to_the_functions_that_need_them() {
    let mut open = BTreeMap::new();
    for partition in SENSITIVE.split(' ') {
        let may = |actions: &[&'static str]| -> Vec<&str> {
            let allowed = |function: &&str| {
                actions.iter().any(|action| TEMPLATE.permits(function, &act(action, partition)))
            };
            TEMPLATE.functions().into_keys().filter(allowed).collect()
        };
        let reads =
            ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:ConditionCheckItem"];
        let writes = ["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"];
        open.insert(partition, json!({ "read": may(&reads).join(" "), "write": may(&writes).join(" ") }));
    }
    assert_snapshot!(snapshot_of(&json!(open), &[]));
}

/// A search in `well-known` is rare, and `search-index` does not search.
#[test]
fn functions_that_search_load_the_index_at_their_start() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../functions");
    for function in TEMPLATE.functions().into_keys() {
        let main = std::fs::read_to_string(folder.join(function).join("src/main.rs")).unwrap();
        let searches = TEMPLATE.permits(function, &act("dynamodb:BatchGetItem", "INDEX#00"))
            && !["well-known", "search-index"].contains(&function);
        assert_eq!(main.contains("Preload::SEARCH_INDEX"), searches, "{function}");
    }
}

fn act(action: &'static str, partition: &str) -> Act {
    Act { action, index: None, partition: partition.to_owned() }
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

    let mut rules = BTreeSet::new();
    for (id, function) in &resources {
        for (name, event) in function["Properties"]["Events"].as_object().into_iter().flatten() {
            if event["Type"] == "EventBridgeRule" {
                let rule =
                    json!({ "Fn::Select": [1, { "Fn::Split": ["|", { "Ref": format!("{id}{name}") }] }] });
                rules.insert(failures_of(&rule));
            }
        }
    }
    for id in TEMPLATE.resources("AWS::Events::Rule").into_keys() {
        let rule = json!({ "Fn::Select": [1, { "Fn::Split": ["|", { "Ref": id }] }] });
        rules.insert(failures_of(&rule));
    }
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

/// The secrets with the parameters for their names, and the keys in KMS with their settings.
const SECRETS: [(&str, &str); 5] = [
    ("PROXY_SECRET", "ProxySecret"),
    ("OPERATOR_TOKEN", "OperatorTokenSecret"),
    ("STRIPE_SECRET_KEY", "StripeKeySecret"),
    ("STRIPE_WEBHOOK_SECRET", "StripeWebhookSecret"),
    ("SEARCH_BACKEND_TOKEN", "SearchBackendSecret"),
];
const KMS_KEYS: [(&str, &str); 3] =
    [("SIGNING_KEY_ID", "SigningKey"), ("MESSAGE_KEY_ID", "MessageKey"), ("LOG_KEY_ID", "LogKey")];

/// The functions with a variable, which must be those whose policies allow it.
fn with_variable(variable: &str, allowed: &str) -> String {
    let mut readers = Vec::new();
    for (function, properties) in TEMPLATE.functions() {
        let reads = properties["Environment"]["Variables"].get(variable).is_some();
        assert_eq!(properties["Policies"].to_string().contains(allowed), reads, "{function}: {variable}");
        readers.extend(reads.then_some(function));
    }
    readers.join(" ")
}

#[test]
fn secrets_are_read_by_name_and_only_by_functions_that_need_them() {
    let mut readers = BTreeMap::new();
    for (setting, parameter) in SECRETS {
        let from = format!("{setting}_FROM");
        for (function, properties) in TEMPLATE.functions() {
            let variables = &properties["Environment"]["Variables"];
            assert!(variables.get(setting).is_none(), "{function}: {setting} is in the environment");
            let reads = variables.get(&from).is_none_or(|name| *name == json!({ "Ref": parameter }));
            assert!(reads, "{function}: {setting}");
        }
        assert!(TEMPLATE.common()["Environment"]["Variables"].get(setting).is_none());
        readers.insert(setting, with_variable(&from, &format!("secret:${{{parameter}}}-")));
    }
    assert_snapshot!(snapshot_of(&json!(readers), &[]));
}

#[test]
fn only_functions_that_need_it_may_use_a_key_of_kms() {
    let users = KMS_KEYS.map(|(setting, key)| (setting, with_variable(setting, &format!("{key}.Arn"))));
    assert_snapshot!(snapshot_of(&json!(BTreeMap::from(users)), &[]));
}
