use std::collections::BTreeSet;

use super::*;
use jiff::SignedDuration;
use registry_model::{Moment, NameServers, Secret};

fn settings(mode: Mode, pairs: &[(&str, &str)]) -> Result<Settings, SettingError> {
    Settings::from_env(mode, |name| {
        pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn defaults_match_the_specification() {
    let s = settings(Mode::Public, &[]).unwrap();
    assert_eq!((s.probe_tick_seconds, s.probe_window_cap, s.probe_hourly_cap), (360, 64, 1920));
    assert_eq!(s.tick_in_words(), "6 minutes");
    assert_eq!((s.probe_daily_budget, s.fresh_ok_hours, s.recheck_days), (100_000, 6, 7));
    assert_eq!((s.founding_seats, s.payments_open_after, s.talk_grace_days), (100, 250, 7));
    assert_eq!((s.outreach_budget_percent, s.outreach_pause_days), (100, 30));
    assert_eq!(s.outreach_delivery, OutreachDelivery::Talk, "nobody is called unless the operator says so");
    assert!(s.rate_limits);
    assert_eq!(s.rate(LimitedAction::Publish), Rate { caller: 60, target: 60, everybody: 3000 });
}

#[test]
fn outreach_and_its_a2a_delivery_can_be_configured() {
    let of = |pairs: &[_]| settings(Mode::Public, pairs);
    assert_eq!(of(&[("OUTREACH_BUDGET_PERCENT", "0")]).unwrap().outreach_budget_percent, 0);
    let both = of(&[("OUTREACH_DELIVERY", "talk+a2a")]).unwrap().outreach_delivery;
    assert_eq!(both, OutreachDelivery::TalkAndA2a);
    assert!(of(&[("OUTREACH_DELIVERY", "a2a")]).is_err());
}

#[test]
fn error_contains_the_invalid_value() {
    let error = settings(Mode::Public, &[("PROBE_WINDOW_CAP", "many")]).unwrap_err();
    let text = r#"invalid setting PROBE_WINDOW_CAP="many": set it to a whole number from 1 to 1000000"#;
    assert_eq!(error.to_string(), text);
    assert!(settings(Mode::Public, &[("PAYMENTS", "yes")]).is_err());
    for wrong in ["registry.example.com", "https://example.com/registry", "https://example.com/?q"] {
        assert!(settings(Mode::Public, &[("BASE_URL", wrong)]).is_err(), "{wrong}");
    }
    for address in ["10.0.0.2", "10.0.0.2:0", "ns.example.com:53", "on"] {
        assert!(settings(Mode::Public, &[("DNS_SERVER", address)]).is_err(), "{address}");
    }
}

#[test]
fn sources_of_name_proofs_can_be_replaced() {
    let of = |value: &str| settings(Mode::Public, &[("NAME_PROOFS", value)]);
    let usual = of("").unwrap();
    assert_eq!(usual.domain_proof_url, "https://{domain}/.well-known/mcp-registry-auth");
    let other = of("github=off, domain=http://127.0.0.1:9/{domain}?a=1").unwrap();
    assert_eq!(other.github_raw_url, None);
    assert_eq!(other.domain_proof_url, "http://127.0.0.1:9/{domain}?a=1");
    assert_eq!(other.github_actions_issuer, usual.github_actions_issuer);
    let issuer = of("github-actions=https://tokens.example.org/").unwrap().github_actions_issuer;
    assert_eq!(issuer.as_deref(), Some("https://tokens.example.org"));
    for wrong in ["github", "github=none", "gitlab=off", "domain=off", "domain=https://example.com/auth"] {
        assert!(of(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn peer_registries_are_configured_as_base_urls() {
    let of = |value: &str| settings(Mode::Public, &[("FEDERATION_PEERS", value)]);
    assert_eq!(of("").unwrap().federation_peers, Vec::<String>::new());
    let two = of("https://a.example.org/, https://b.example.org/registry").unwrap().federation_peers;
    assert_eq!(two, ["https://a.example.org", "https://b.example.org/registry"]);
    let eleven = ["https://a.example.org"; 11].join(",");
    for wrong in ["a.example.org", "https://a.example.org?x=1", "ftp://a.example.org", &eleven] {
        assert!(of(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn secrets_are_validated_and_never_shown() {
    let pairs = [("STRIPE_SECRET_KEY", "sk_test_1"), ("STRIPE_WEBHOOK_SECRET", "whsec_1")];
    let taken = settings(Mode::Public, &pairs).unwrap();
    assert_eq!(taken.stripe_secret_key.as_ref().map(Secret::reveal), Some("sk_test_1"));
    assert!(!format!("{taken:?}").contains("sk_test_1"));
    assert!(!taken.sells(), "payments are off by default");
    assert_eq!(settings(Mode::Public, &[("STRIPE_SECRET_KEY", "")]).unwrap().stripe_secret_key, None);
    for (name, wrong) in [
        ("STRIPE_SECRET_KEY", "pk_live_1"),
        ("STRIPE_SECRET_KEY", "sk_a b"),
        ("STRIPE_WEBHOOK_SECRET", "hook_1"),
    ] {
        let error = settings(Mode::Public, &[(name, wrong)]).unwrap_err().to_string();
        assert!(error.contains(name) && !error.contains(wrong), "{error}");
    }
}

#[test]
fn name_servers_of_the_system_are_the_default() {
    let of = |pairs: &[_]| settings(Mode::Public, pairs).unwrap().name_servers;
    assert_eq!(of(&[]), NameServers::System);
    assert_eq!(of(&[("DNS_SERVER", "off")]), NameServers::Off);
    assert_eq!(of(&[("DNS_SERVER", "[::1]:53")]), NameServers::Only("[::1]:53".parse().unwrap()));
}

#[test]
fn callers_are_limited_only_in_public_mode() {
    let rate = settings(Mode::Public, &[("CALLER_REQUESTS_PER_SECOND", "30")]).unwrap().caller_rate;
    assert_eq!(rate, Some(RequestRate { per_second: 30, at_once: 150 }));
    assert_eq!(settings(Mode::Development, &[]).unwrap().caller_rate, None);
}

#[test]
fn connections_of_one_address_are_limited_unless_it_stands_for_many() {
    let per_address = |mode, pairs: &[_]| settings(mode, pairs).unwrap().connections.per_address;
    let proxy = [("PROXY_SECRET", "0123456789abcdef0123456789abcdef")];
    assert_eq!(per_address(Mode::Public, &[]), 256);
    assert_eq!((per_address(Mode::Public, &proxy), per_address(Mode::Development, &[])), (4096, 4096));
}

#[test]
fn operator_contact_is_a_mail_or_https_address() {
    let of = |value: &str| settings(Mode::Public, &[("OPERATOR_CONTACT", value)]);
    for contact in ["mailto:operator@example.com", "https://example.com/contact"] {
        assert_eq!(of(contact).unwrap().operator_contact.as_deref(), Some(contact));
    }
    assert_eq!(of("").unwrap().operator_contact, None);
    let source = |value: &str| settings(Mode::Public, &[("SOURCE_URL", value)]);
    let url = "https://example.com/source";
    assert_eq!(source(url).unwrap().source_url.as_deref(), Some(url));
    assert!(source("mailto:operator@example.com").is_err());
    for wrong in ["operator@example.com", "http://example.com", "mailto:operator", "mailto:a@b.c\nx: y"] {
        assert!(of(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn license_of_the_dump_is_an_spdx_identifier() {
    let of = |value: &str| settings(Mode::Public, &[("DUMP_LICENSE", value)]);
    assert_eq!(of("CC-BY-4.0").unwrap().dump_license.as_deref(), Some("CC-BY-4.0"));
    assert_eq!(of("").unwrap().dump_license, None);
    assert!(of("CC BY").is_err() && of("<b>").is_err());
}

#[test]
fn rate_limits_can_be_disabled_only_in_development() {
    assert!(settings(Mode::Public, &[("RATE_LIMITS", "off")]).is_err());
    assert!(!settings(Mode::Development, &[("RATE_LIMITS", "off")]).unwrap().rate_limits);
}

#[test]
fn one_percentage_multiplies_all_rate_limits() {
    let of = |pairs: &[_]| settings(Mode::Public, pairs).unwrap();
    let five = of(&[("RATE_LIMITS", "500"), ("PUBLISH_PER_HOUR", "10")]);
    assert_eq!(five.rate(LimitedAction::Publish), Rate { caller: 50, target: 300, everybody: 15_000 });
    assert_eq!(five.rate(LimitedAction::Score), Rate { caller: 300, target: 150, everybody: 10_000 });
    assert_eq!(of(&[("RATE_LIMITS", "1")]).rate(LimitedAction::Demo).caller, 1, "never zero");
    let most = of(&[("RATE_LIMITS", "1000000"), ("PUBLISH_PER_HOUR", "1000000")]);
    assert_eq!(most.rate(LimitedAction::Publish).caller, u32::MAX);
    for wrong in ["0", "1000001", "50%", "yes"] {
        assert!(settings(Mode::Public, &[("RATE_LIMITS", wrong)]).is_err(), "{wrong}");
    }
}

/// Each end of the range of each number is accepted, and no time that is computed with it overflows.
#[test]
fn numbers_of_all_ranges_can_be_used() {
    let definitions = definitions();
    let numbers: Vec<_> = definitions.iter().filter_map(|one| Some((one.name, one.range.clone()?))).collect();
    assert!(numbers.len() >= 8, "{numbers:?}");
    let ends = numbers.iter().flat_map(|(name, range)| [(*name, *range.start()), (*name, *range.end())]);
    for (name, number) in ends {
        let s = settings(Mode::Public, &[(name, &number.to_string())]).unwrap();
        let spans = [
            s.fresh_ok(),
            s.recheck_interval(),
            s.talk_grace(),
            s.outreach_pause(),
            SignedDuration::try_from(s.tick()).unwrap(),
        ];
        let now: Moment = "2026-11-28T00:00:00Z".parse().unwrap();
        for span in spans {
            assert!(now - span < now && now < now + span, "{name}={number}");
        }
        let rate = s.caller_rate.unwrap();
        assert!(rate.interval() * rate.burst() > SignedDuration::ZERO, "{name}={number}");
    }
    for (name, range) in numbers {
        let beyond = [u64::from(*range.end()) + 1, u64::from(u32::MAX), u64::MAX];
        let before = range.start().checked_sub(1).map(u64::from);
        for number in before.into_iter().chain(beyond) {
            let error = settings(Mode::Public, &[(name, &number.to_string())]).unwrap_err();
            let allowed = format!("set it to a whole number from {} to {}", range.start(), range.end());
            assert!(error.name == name && error.to_string().ends_with(&allowed), "{error}");
        }
    }
}

#[test]
fn settings_contains_several_settings() {
    let text = " BRAND = A; B=C ;\nRECHECK_DAYS=3\nPUBLISH_PER_HOUR=7;";
    let entries = text.replace("A; B=C", "Name=1");
    let s = settings(Mode::Public, &[("SETTINGS", &entries), ("PROBE_HOURLY_CAP", "9"), ("DNS_SERVER", "")])
        .unwrap();
    assert_eq!((s.brand.as_str(), s.recheck_days, s.probe_hourly_cap), ("Name=1", 3, 9));
    assert_eq!(s.rate(LimitedAction::Publish).caller, 7);
    assert_eq!(settings(Mode::Public, &[("SETTINGS", " ;\n")]), settings(Mode::Public, &[]));
    assert!(settings(Mode::Public, &[("SETTINGS", text)]).is_err(), "B is not a setting");
    let name = |pairs| settings(Mode::Public, pairs).unwrap_err().name;
    assert_eq!(name(&[("SETTINGS", "RECHECK_DAYS=0")]), "RECHECK_DAYS");
}

#[test]
fn settings_refuses_secrets_unknown_names_and_settings_that_are_set_twice() {
    let refused = |entries: &str| {
        let error = settings(Mode::Public, &[("SETTINGS", entries), ("BRAND", "Mine")]).unwrap_err();
        assert_eq!(error.name, "SETTINGS", "{entries}");
        error.value
    };
    let deployed = [BASE_URL, "TABLE_NAME", "BUS_NAME", "SIGNING_KEY_ID", "MESSAGE_KEY_ID", "LOG_KEY_ID"];
    let wrong = ["SETTINGS", "RECHECK_DAY", PORT, RUST_LOG, "DEMOS_PER_HOUR", "BRAND"];
    for name in wrong.into_iter().chain(deployed).chain(secrets()) {
        assert_eq!(refused(&format!("{name}=12345678901234567890123456789012")), name);
    }
    for entries in ["RECHECK_DAYS", "RECHECK_DAYS=", "RECHECK_DAYS=3;RECHECK_DAYS=3"] {
        assert_eq!(refused(entries), "RECHECK_DAYS");
    }
}

#[test]
fn every_variable_is_defined_once() {
    let read = std::cell::RefCell::new(Vec::new());
    Settings::from_env(Mode::Public, |name| {
        read.borrow_mut().push(name.to_owned());
        None
    })
    .unwrap();
    let definitions = definitions();
    let names: BTreeSet<&str> = definitions.iter().map(|definition| definition.name).collect();
    assert!(read.into_inner().iter().all(|name| names.contains(name.as_str())));
    assert_eq!(names.len(), definitions.len());
}
