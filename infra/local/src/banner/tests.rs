use std::path::PathBuf;

use super::*;

const LOCAL_URL: &str = "http://127.0.0.1:8080";

fn settings(mode: Mode, base_url: &str) -> Settings {
    Settings::from_env(mode, |name| (name == "BASE_URL").then(|| base_url.to_owned())).unwrap()
}

#[test]
fn development_mode_warns_about_loopback_probes() {
    let file = Data::File(PathBuf::from("./data/registry.db"));
    let banner = text(&settings(Mode::Development, LOCAL_URL), LOCAL_URL, &file, false);
    assert!(banner.contains("may probe this machine (loopback, plain http)"), "{banner}");
    assert!(banner.contains("data: ./data/registry.db"), "{banner}");
    assert_eq!(banner.matches("curl ").count(), 3);
    assert!(!banner.contains("WARNING") && !banner.contains("public URL"));
    let banner = text(&settings(Mode::Development, LOCAL_URL), LOCAL_URL, &file, true);
    assert!(banner.contains("WARNING"), "{banner}");
}

#[test]
fn public_mode_shows_its_rules_and_the_public_url() {
    let settings = settings(Mode::Public, "https://registry.example.com/");
    let banner = text(&settings, LOCAL_URL, &Data::Memory, true);
    assert!(banner.contains("public URL: https://registry.example.com\n"), "{banner}");
    assert!(banner.contains("public rules") && banner.contains("in memory"), "{banner}");
    assert!(!banner.contains("loopback") && !banner.contains("WARNING"), "{banner}");
    let banner = text(&self::settings(Mode::Public, LOCAL_URL), LOCAL_URL, &Data::Memory, true);
    assert!(banner.contains("WARNING: cards, proofs and links name this address"), "{banner}");
}
