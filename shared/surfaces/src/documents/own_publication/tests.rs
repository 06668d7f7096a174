use super::*;

fn peer(url: &str, lists_this: Option<bool>) -> PeerRegistry {
    PeerRegistry {
        url: url.to_owned(),
        name: "r".to_owned(),
        search_url: None,
        asked_at: Moment::UNIX_EPOCH,
        answered_at: None,
        failure: None,
        lists_this,
        referrals: Vec::new(),
    }
}

#[test]
fn only_the_official_registry_decides_the_listed_field() {
    let other = peer("https://r.example.org", Some(true));
    assert_eq!(listed(std::slice::from_ref(&other)), None);
    for listed_there in [None, Some(true), Some(false)] {
        assert_eq!(listed(&[other.clone(), peer(OFFICIAL_REGISTRY, listed_there)]), listed_there);
    }
}

#[test]
fn one_matching_key_record_proves_the_domain() {
    let (own, other) = (PublicKey::Ed25519([7; 32]), PublicKey::Ed25519([8; 32]));
    let spf = "v=spf1 -all".to_owned();
    let state = |keys: &[&PublicKey]| {
        let records = keys.iter().filter_map(|key| key.record());
        judge(&own, &records.chain([spf.clone()]).collect::<Vec<_>>())
    };
    assert_eq!(state(&[]), RecordState::Missing);
    assert_eq!(state(&[&other]), RecordState::Differs);
    assert_eq!(state(&[&other, &own]), RecordState::Matches);
}
