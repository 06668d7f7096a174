//! Tests schedules, rules of the event bus, and what happens to undelivered events. Also compares the local functions with
//! the template.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use registry::events::{Event, SOURCE, What};
use registry::model::Moment;
use tests::prelude::*;
use tests::template::{TEMPLATE, sample_event, texts};

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
        let sample = sample_event(function);
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

    let publish = sample_event("publish");
    let body: Value = serde_json::from_str(publish["body"].as_str().unwrap()).unwrap();
    let listing_id = ListingId::of_url(&body["url"].as_str().unwrap().parse().unwrap());
    let at = "2026-11-20T12:00:00Z".parse().unwrap();
    let mut sent = Event { what: What::Queued, listing_id, kind: None, at }.envelope();
    let sample = sample_event("listing-queued");
    // The bus adds the id of the request.
    sent["detail"]["cause"] = publish["requestContext"]["requestId"].clone();
    for member in ["source", "detail-type"] {
        assert_eq!(sample[member], sent[member]);
    }
    assert_eq!(sample["detail"], sent["detail"]);
    assert_eq!(sample["time"].as_str().unwrap().parse::<Moment>().unwrap(), at);
}
