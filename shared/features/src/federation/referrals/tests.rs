use super::*;
use registry_model::Moment;

fn peer(named: &[(&str, Kind)]) -> PeerRegistry {
    let referral = |(name, kind): &(&str, Kind)| Referral {
        name: (*name).to_owned(),
        url: format!("https://{}.example.org/", name.replace(' ', "-")),
        kind: *kind,
        description: None,
        peer: "https://r.example.org".to_owned(),
        at: Moment::UNIX_EPOCH,
    };
    PeerRegistry {
        url: "https://r.example.org".to_owned(),
        name: "Other".to_owned(),
        search_url: Some("https://r.example.org/api/ard/".to_owned()),
        answered_at: Some(Moment::UNIX_EPOCH),
        referrals: named.iter().map(referral).collect(),
        ..PeerRegistry::default()
    }
}

#[test]
fn referrals_are_ranked_by_the_words_they_share_with_the_query() {
    let peers =
        [peer(&[("Weather bot", Kind::Agent), ("Weather forecast server", Kind::Mcp), ("Adder", Kind::Mcp)])];
    let names = |words: &str, kind| {
        let found = referrals(&peers, words, kind);
        found.into_iter().map(|referral| referral.name).collect::<Vec<_>>()
    };
    assert_eq!(names("a weather forecast", None), ["Weather forecast server", "Weather bot"]);
    assert_eq!(names("weather", Some(Kind::Agent)), ["Weather bot"]);
    assert_eq!(names("chess", None), Vec::<String>::new());
    assert_eq!(names("", None).len(), 3);
}

#[test]
fn registry_without_a_search_api_is_left_out_of_referrals() {
    let peers = [peer(&[]), PeerRegistry { search_url: None, ..peer(&[]) }];
    let found = peer_referrals(&peers);
    assert_eq!(found.len(), 1, "a registry without a search API is left out");
    assert_eq!(found[0].identifier, "urn:air:r.example.org:registry:ard");
}
