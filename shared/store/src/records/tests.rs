use std::collections::HashSet;

use proptest::prelude::*;
use url::Url;

use super::*;
use crate::prelude::*;
use registry_model::{ContactFrom, Kind};

/// The prefix and the sort key of every key pattern that a file of this folder declares.
fn declared_patterns() -> Vec<(String, String)> {
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/records")).unwrap();
    let files = folder.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let sources: String = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let statements = sources.split("const ").filter_map(|text| text.split(';').next()?.split_once(": "));
    let declared: Vec<(&str, &str, &str)> = statements
        .filter_map(|(name, value)| {
            let (kind, arguments) = value.split_once("::new(")?;
            let (prefix, rest) = arguments.split_once(", ")?;
            let sort = rest.split([',', ')']).next()?;
            (kind.starts_with("KeyPattern") || kind.starts_with("Record<")).then_some((name, prefix, sort))
        })
        .collect();
    let prefix_of = |prefix: &str| match prefix.strip_suffix(".prefix") {
        Some(other) => declared.iter().find(|(name, ..)| *name == other).unwrap().1.to_owned(),
        None => prefix.to_owned(),
    };
    declared.iter().map(|(_, prefix, sort)| (prefix_of(prefix), (*sort).to_owned())).collect()
}

#[test]
fn no_two_records_use_the_same_key_pattern() {
    let patterns = declared_patterns();
    let different: HashSet<&(String, String)> = patterns.iter().collect();
    assert_eq!(different.len(), patterns.len(), "{patterns:#?}");
    assert!(patterns.contains(&("\"LISTING#\"".to_owned(), "\"PROBE#\"".to_owned())), "{patterns:#?}");
}

fn fits(key: &Key) -> bool {
    (1..=2048).contains(&key.pk.len()) && (1..=1024).contains(&key.sk.len())
}

proptest! {
    /// DynamoDB refuses longer keys, which a caller would see as an internal error.
    #[test]
    fn every_key_from_a_text_of_a_caller_is_short_enough(
        text in prop_oneof!["\\PC{0,40}", "\\PC{500,3000}", "(a\\.){900,2100}org"],
        owner: String,
    ) {
        let url = Url::parse(&format!("https://{text}")).or_else(|_| Url::parse("https://a.example.org"));
        let ids = [
            ListingId::of_url(&url.unwrap()),
            ListingId::of_name(Kind::Mcp, &text),
            ListingId::of_taken_name(Kind::Agent, &text, &owner),
        ];
        for id in ids.iter().cloned().chain(text.parse()) {
            let (now, id) = (Moment::UNIX_EPOCH, &id);
            let keys = [
                LISTING.of(id), evidence::EVIDENCE.of(id), listings::contact_key(id, ContactFrom::Anyone, &text),
                counters::PROBE.one_of(id, key::millis(now)), pointers::name_pointer(&text, id, None),
                pointers::name_pointer(&text, id, Some(pointers::NameRank::Owned)),
            ];
            prop_assert!(keys.iter().all(fits), "{id}");
            let digest = "0123456789abcdef01234567";
            let trails = [
                trails::TRAIL.of(id), trails::RANKS.of(id), traces::MARK.one_of(id, key::at(now, digest)),
                traces::EDGE.one_of(id, id), traces::trace_source_key(id, "used_with", digest),
            ];
            prop_assert!(trails.iter().all(fits), "{id}");
            prop_assert!(key::at(now, id.as_str()).len() <= 1024, "{id}");
        }
        prop_assert!(fits(&pointers::endpoint_key(&text)));
        let patterns = [purchases::PAYMENT_EVENT, purchases::PAYMENT, funnel::SEAT];
        prop_assert!(patterns.iter().all(|pattern| fits(&pattern.of(&text))));
        prop_assert!(fits(&callers::rate_key("publish", "host", &text, i64::MAX)));
    }
}

#[test]
fn a_week_is_an_iso_week() {
    let week = counters::WEEK.partition("2026-11-20T10:00:00Z".parse::<Moment>().unwrap().iso_week());
    assert_eq!(week, "WEEK#2026-W47");
}

#[test]
fn every_record_has_rights() {
    let rights = include_str!("rights.tsv").lines().map(|line| line.split('\t').next().unwrap());
    let partitions: Vec<&str> = rights.map(|partitions| partitions.trim_end_matches('*')).collect();
    for (prefix, _) in declared_patterns() {
        let prefix = prefix.trim_matches('"');
        let is_named = |partition: &&str| partition.starts_with(prefix) || prefix.starts_with(*partition);
        assert!(partitions.iter().any(is_named), "rights.tsv has no line for {prefix}");
    }
}
