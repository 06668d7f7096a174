use super::*;

fn source(url: &str) -> Source {
    Source::of_url(url.parse().unwrap(), None)
}

#[test]
fn form_of_a_source_follows_from_its_url() {
    for url in [
        "https://registry.example.com",
        "https://registry.example.com/",
        "https://registry.example.com/v0.1/servers",
        "https://registry.example.com/v0.1/servers/",
    ] {
        let list = "https://registry.example.com/v0.1/servers".parse().unwrap();
        assert_eq!(source(url), Source::Registry(list), "{url}");
    }
    let collection = "https://a.example/r/approved/v0.1/servers".parse().unwrap();
    assert_eq!(source("https://a.example/r/approved"), Source::Registry(collection));
    let search = "https://a.example/v0/servers?search=x";
    assert_eq!(source(search), Source::Registry(search.parse().unwrap()));
    let dump = "https://a.example/dumps.json";
    assert_eq!(source(dump), Source::Dump { list: dump.parse().unwrap(), log_key: None });
    let list = "https://a.example/api/agents";
    assert_eq!(source(list), Source::List(list.parse().unwrap()));
}

#[test]
fn next_import_reads_only_what_changed() {
    let state = ImportState {
        complete_since: Some("2026-11-20T12:00:00Z".parse().unwrap()),
        cursor: Some("a/b&c".to_owned()),
        ..ImportState::default()
    };
    let list = "https://r.example.org/v0.1/servers".parse().unwrap();
    assert_eq!(
        page_url(&list, &state).as_str(),
        "https://r.example.org/v0.1/servers?limit=100&version=latest&include_deleted=false\
            &updated_since=2026-11-20T11%3A00%3A00.000Z&cursor=a%2Fb%26c"
    );
}
