use super::*;
use crate::checks;
use crate::checks::Context;
use crate::checks::tests::{context, fine};
use proptest::prelude::*;
use registry_model::{ListingId, Moment, Ownership, Proof, Reach, Reason, Skill, Texts, Tool};

fn skill(description: &str) -> Skill {
    Skill { id: "s".to_owned(), name: "S".to_owned(), description: description.to_owned(), tags: Vec::new() }
}

fn good() -> Verdict {
    Verdict {
        latency_ms: Some(180),
        facts: Facts {
            kind: Some(Kind::Agent),
            name: Some("Weather".to_owned()),
            description: Some(
                "Tells the weather of any city in the world, now and for the next ten days, in any unit."
                    .to_owned(),
            ),
            version: Some("1.0.0".to_owned()),
            endpoint: Some("https://a.example.com/a2a".to_owned()),
            card_url: Some("https://a.example.com/card".to_owned()),
            website: Some("https://a.example.com".to_owned()),
            protocol_versions: vec!["0.3".to_owned(), "1.0".to_owned()],
            skills: vec![skill("The weather now."), skill("The forecast.")],
            ..Facts::default()
        },
        ..fine()
    }
}

fn dead() -> Verdict {
    Verdict {
        handshake: Handshake::Fail,
        reasons: vec![Reason {
            code: "card_404".to_owned(),
            reason: "card fail 404 (no card)".to_owned(),
            seen: "404".to_owned(),
            fix: "Serve the card.".to_owned(),
        }],
        speaks: false,
        answers: None,
        latency_ms: Some(40),
        facts: Facts { kind: Some(Kind::Agent), ..Facts::default() },
        ..good()
    }
}

fn scored(verdict: &Verdict) -> Score {
    let context = Context { listing: None, ..context(Reach::Public) };
    compute_score(verdict, &checks::run_all(verdict, &context), None)
}

fn points(score: &Score, id: &str) -> u8 {
    score.breakdown.iter().find(|part| part.id == id).unwrap().points
}

#[test]
fn perfect_peer_gets_100_points_and_dead_peer_gets_0_points() {
    assert_eq!(scored(&good()).value, 100);
    assert_eq!(scored(&dead()).value, 0);
    assert_eq!(scored(&dead()).breakdown[0].why, "card fail 404 (no card)");
    let pretty_corpse = Verdict { facts: good().facts, ..dead() };
    assert!(scored(&pretty_corpse).value <= 30, "{:?}", scored(&pretty_corpse));
}

#[test]
fn mcp_server_is_scored_by_its_tools() {
    let tool = |description: &str| Tool {
        name: "t".to_owned(),
        description: description.to_owned(),
        ..Tool::default()
    };
    let server = Verdict {
        answers: None,
        facts: Facts {
            kind: Some(Kind::Mcp),
            card_url: None,
            skills: Vec::new(),
            tools: vec![tool("Does it."), tool("")],
            protocol_versions: vec!["2025-06-18".to_owned()],
            ..good().facts
        },
        ..good()
    };
    let score = scored(&server);
    assert_eq!(points(&score, "answers"), 10);
    assert_eq!(points(&score, "abilities"), 5);
    assert_eq!(points(&score, "protocol"), 7);
    assert_eq!(score.value, 94);
}

#[test]
fn stored_parts_are_not_described_as_the_whole() {
    let mut verdict = good();
    verdict.facts.description = Some("x".repeat(LONGEST_DESCRIPTION + 1));
    let breakdown = scored(&verdict).breakdown;
    for why in ["Stored skills with a description: 2 of 2.", "The description had over 1000 characters."] {
        assert!(breakdown.iter().any(|part| part.why == why), "{breakdown:?}");
    }
}

#[test]
fn each_part_of_the_score_is_lower_for_a_worse_probe_result() {
    let less = |change: fn(&mut Verdict), id: &str, left: u8| {
        let mut verdict = good();
        change(&mut verdict);
        assert_eq!(points(&scored(&verdict), id), left, "{id}");
    };
    less(|verdict| verdict.handshake = Handshake::Partial, "handshake", 15);
    less(|verdict| verdict.handshake = Handshake::Skip, "handshake", 0);
    less(|verdict| verdict.answers = None, "answers", 5);
    less(|verdict| verdict.answers = Some(false), "answers", 0);
    less(|verdict| verdict.latency_ms = Some(1500), "latency", 8);
    less(|verdict| verdict.latency_ms = Some(60_000), "latency", 1);
    less(|verdict| verdict.latency_ms = None, "latency", 0);
    less(|verdict| verdict.facts.protocol_versions = vec!["0.3".to_owned()], "protocol", 7);
    less(|verdict| verdict.facts.protocol_versions.clear(), "protocol", 0);
    less(|verdict| verdict.facts.description = Some("Weather of cities.....".to_owned()), "description", 3);
    less(|verdict| verdict.facts.skills.clear(), "abilities", 0);
    less(|verdict| verdict.facts.website = None, "identity", 4);
    let markup = |verdict: &mut Verdict| {
        verdict.facts.text_faults.not_plain = Some("name: markup (\"<b>\") is in it.".to_owned());
    };
    less(markup, "checks", 0);
}

#[test]
fn changed_tools_cost_three_points() {
    let mut verdict = good();
    verdict.facts.tools_hash = Some("b".to_owned());
    let at = Some(Moment::UNIX_EPOCH);
    let known = Listing {
        proof: Proof { tools_hash: Some("a".to_owned()), last_ok_at: at, ..listing().proof },
        ..listing()
    };
    let context = Context { listing: Some(known), ..context(Reach::Public) };
    assert_eq!(compute_score(&verdict, &checks::run_all(&verdict, &context), None).value, 97);
}

#[test]
fn server_json_gives_the_points_for_texts() {
    let mut verdict = good();
    verdict.facts = Facts { kind: Some(Kind::Mcp), ..Facts::default() };
    let described = Listing {
        texts: Texts {
            description: Some("Adds two numbers.".to_owned()),
            version: Some("1.0.0".to_owned()),
            ..listing().texts
        },
        ownership: Ownership { server_name: Some("com.example/adder".to_owned()), ..listing().ownership },
        ..listing()
    };
    let why = |listing: &Listing| {
        let score = compute_score(&verdict, &[], Some(listing));
        let part = |id: &str| {
            let part = score.breakdown.iter().find(|part| part.id == id).unwrap();
            (part.points, part.why.clone())
        };
        [part("description"), part("identity")]
    };
    let texts = [(1, "The description had 17 characters."), (4, "Not read: a link to a website.")];
    assert_eq!(why(&described), texts.map(|(points, why)| (points, why.to_owned())));
    // The name of another listing may be its id.
    let texts = [(0, "No description was read."), (0, "Not read: a name, a version, a link to a website.")];
    assert_eq!(why(&listing()), texts.map(|(points, why)| (points, why.to_owned())));
}

fn listing() -> Listing {
    Listing::new(ListingId::of_name(Kind::Mcp, "adder"), "Adder".to_owned(), Moment::UNIX_EPOCH)
}

proptest! {
    #[test]
    fn score_is_the_sum_of_its_parts_and_its_maximum_is_100(
        handshake in proptest::sample::select(vec![Handshake::Ok, Handshake::Partial, Handshake::Fail, Handshake::Skip]),
        speaks: bool, answers: Option<bool>, latency_ms: Option<u32>,
        name: Option<String>, description: Option<String>, version: Option<String>,
        described in proptest::collection::vec(any::<bool>(), 0..50),
        versions in proptest::collection::vec("[0-9.-]{0,10}", 0..4),
        mcp: bool,
    ) {
        let skills = described.iter().map(|told| skill(if *told { "x" } else { "" })).collect();
        let kind = Some(if mcp { Kind::Mcp } else { Kind::Agent });
        let facts = Facts { kind, name, description, version, skills, protocol_versions: versions, ..Facts::default() };
        let score = scored(&Verdict { handshake, speaks, answers, latency_ms, facts, ..good() });
        prop_assert_eq!(score.breakdown.iter().map(|part| u32::from(part.of)).sum::<u32>(), 100);
        prop_assert_eq!(score.breakdown.iter().map(|part| u32::from(part.points)).sum::<u32>(), u32::from(score.value));
        prop_assert!(score.breakdown.iter().all(|part| part.points <= part.of && !part.why.is_empty()));
    }
}
