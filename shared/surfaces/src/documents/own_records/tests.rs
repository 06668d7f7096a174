use super::*;
use registry_fetch::TargetError;
use registry_settings::Mode;

fn at(base_url: &str) -> Settings {
    let lookup = |name: &str| (name == "BASE_URL").then(|| base_url.to_owned());
    Settings::from_env(Mode::Public, lookup).unwrap()
}

#[test]
fn domain_is_not_an_address_or_a_local_name() {
    assert_eq!(domain(&at("https://registry.example.com:8443")).as_deref(), Some("registry.example.com"));
    for none in [
        "http://127.0.0.1:8080",
        "http://[::1]",
        "http://localhost:8080",
        "http://a.localhost",
        "http://host",
    ] {
        assert_eq!(domain(&at(none)), None, "{none}");
    }
}

#[test]
fn failed_lookup_is_not_reported_as_a_missing_record() {
    let settings = at("https://registry.example.com");
    let lookup = |at_mcp| {
        let at_domain = Err(TxtError::NoAnswer);
        let records = OwnRecords { asked_at: Moment::UNIX_EPOCH, at_domain, at_mcp };
        let judge = |found: &[String]| {
            if found.is_empty() { RecordState::Missing } else { RecordState::Differs }
        };
        Lookup::of(&settings, Some(&records), |records| &records.at_mcp, judge)
    };
    assert_eq!(lookup(Ok(Vec::new())).state, RecordState::Missing);
    assert_eq!(lookup(Ok(vec!["x".to_owned()])).state, RecordState::Differs);
    for error in [TxtError::NoAnswer, TxtError::NoNameServer] {
        let found = lookup(Err(error));
        assert_eq!((found.state, found.error.is_some()), (RecordState::Unknown, true));
    }
    let reserved = lookup(Err(TargetError::ReservedName.into()));
    assert_eq!((reserved.state, reserved.source), (RecordState::NoDomain, "nobody"));
}

#[test]
fn long_record_is_split_into_strings() {
    assert_eq!(zone_line("_mcp.a.example.org", "v=mcp1"), "_mcp.a.example.org. 3600 IN TXT \"v=mcp1\"");
    let strings = zone_line("a", &"x".repeat(300)).matches('"').count();
    assert_eq!(strings, 4);
}
