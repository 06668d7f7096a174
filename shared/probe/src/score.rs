//! The score of a listing, from 0 to 100, with its parts. A number alone does not tell the owner what to do.
//! So every part says what the probe found and how many points this gave.

use registry_model::{Check, Facts, Handshake, Kind, Listing, Score, ScorePart, Verdict};

/// The signal of a light handshake: it sent no message, because an earlier one was answered.
pub(crate) const MESSAGE_ANSWERED_BEFORE: &str = "message_answered_before";

/// Three quarters of the points depend on how the peer behaved in the probe. `listing` is `None` for a URL that is not listed.
pub fn of(verdict: &Verdict, checks: &[Check], listing: Option<&Listing>) -> Score {
    let facts = &verdict.facts;
    let texts = Texts::of(facts, listing);
    let breakdown = vec![
        handshake(verdict),
        answers(verdict),
        latency(verdict),
        protocol(facts),
        description(&texts),
        abilities(facts),
        identity(&texts),
        clean(verdict, checks),
    ];
    Score { value: breakdown.iter().map(|part| part.points).sum(), breakdown }
}

/// The texts that a listing shows.
struct Texts<'a> {
    name: Option<&'a str>,
    description: Option<&'a str>,
    version: Option<&'a str>,
    website: Option<&'a str>,
}

impl<'a> Texts<'a> {
    /// A server.json describes its server, whatever the server says of itself.
    fn of(facts: &'a Facts, listing: Option<&'a Listing>) -> Self {
        let [name, description, version, website] = match listing.filter(|listing| listing.is_described()) {
            Some(own) => {
                [Some(&own.name), own.description.as_ref(), own.version.as_ref(), own.website.as_ref()]
            }
            None => [&facts.name, &facts.description, &facts.version, &facts.website].map(Option::as_ref),
        }
        .map(|text| text.map(|text| text.trim()).filter(|text| !text.is_empty()));
        Self { name, description, version, website }
    }
}

fn part(id: &str, points: u8, of: u8, why: impl Into<String>) -> ScorePart {
    ScorePart { id: id.to_owned(), points, of, why: why.into() }
}

fn handshake(verdict: &Verdict) -> ScorePart {
    let reason_or =
        |fine: &str| verdict.reasons.first().map_or_else(|| fine.to_owned(), |reason| reason.reason.clone());
    let (points, why) = match verdict.handshake {
        Handshake::Ok => (40, "The handshake was completed.".to_owned()),
        Handshake::Partial if verdict.facts.sign_in.is_some() => {
            (15, "It asks for a sign-in, and the sign-in is correct.".to_owned())
        }
        Handshake::Partial if verdict.speaks => {
            (15, reason_or("The handshake started but was not completed."))
        }
        Handshake::Partial => (8, reason_or("The server answers, but not in A2A or MCP.")),
        Handshake::Fail => (0, reason_or("The handshake failed.")),
        Handshake::Skip => (0, reason_or("There is nothing that can be probed.")),
    };
    part("handshake", points, 40, why)
}

fn answers(verdict: &Verdict) -> ScorePart {
    let listed = verdict.facts.kind == Some(Kind::Mcp) && !verdict.facts.tools.is_empty();
    let (points, why) = match (verdict.answers, verdict.handshake) {
        (Some(true), _) => (10, "It answered a message."),
        (Some(false), _) => (0, "It did not answer a message."),
        (None, Handshake::Ok) if listed => (10, "It listed its tools."),
        (None, Handshake::Ok) if verdict.signals.iter().any(|signal| signal == MESSAGE_ANSWERED_BEFORE) => {
            (10, "It answered the last message. No message was sent this time.")
        }
        (None, Handshake::Ok) if verdict.facts.kind == Some(Kind::Mcp) => (5, "It has no tools to list."),
        (None, Handshake::Ok) => (5, "No message was sent this time."),
        (None, _) if verdict.speaks => (0, "It did not answer the whole handshake."),
        (None, _) => (0, "It answered no request."),
    };
    part("answers", points, 10, why)
}

fn latency(verdict: &Verdict) -> ScorePart {
    let Some(ms) = verdict.latency_ms.filter(|_| verdict.speaks) else {
        return part("latency", 0, 10, "There was no answer in A2A or MCP.");
    };
    let points = match ms {
        0..=500 => 10,
        501..=1500 => 8,
        1501..=3000 => 5,
        3001..=6000 => 2,
        _ => 1,
    };
    let what = if verdict.handshake == Handshake::Ok { "The handshake" } else { "Its last answer" };
    part("latency", points, 10, format!("{what} took {ms} ms."))
}

/// The newest version that was spoken counts: A2A 1.0 and MCP 2026-07-28 are current.
fn protocol(facts: &Facts) -> ScorePart {
    let worth = |version: &str| match version {
        "1.0" | "2026-07-28" => 10,
        "0.3" | "2025-11-25" | "2025-06-18" => 7,
        "0.2" | "2025-03-26" | "2024-11-05" => 4,
        _ => 2,
    };
    match facts.protocol_versions.iter().max_by_key(|version| worth(version)) {
        Some(version) => part(
            "protocol",
            worth(version),
            10,
            format!(
                "The newest protocol version that it supports is \
                {version}."
            ),
        ),
        None => part("protocol", 0, 10, "No supported protocol version was found."),
    }
}

fn description(texts: &Texts<'_>) -> ScorePart {
    let Some(text) = texts.description else {
        return part("description", 0, 5, "No description was found.");
    };
    let length = text.chars().count();
    let points = match length {
        0..=19 => 1,
        20..=79 => 3,
        _ => 5,
    };
    part("description", points, 5, format!("The description has {length} characters."))
}

fn abilities(facts: &Facts) -> ScorePart {
    let described = |texts: Vec<&str>| texts.into_iter().filter(|text| !text.trim().is_empty()).count();
    let (all, described_count) = if facts.kind == Some(Kind::Mcp) {
        (facts.tools.len(), described(facts.tools.iter().map(|tool| tool.description.as_str()).collect()))
    } else {
        (facts.skills.len(), described(facts.skills.iter().map(|skill| skill.description.as_str()).collect()))
    };
    let word = if facts.kind == Some(Kind::Mcp) { "tools" } else { "skills" };
    // Two points for having any, the rest by how many are described.
    let points = (6 * described_count)
        .checked_div(all)
        .and_then(|share| u8::try_from(share).ok())
        .map_or(0, |share| 2 + share);
    part("abilities", points, 8, format!("Described {word}: {described_count} of {all}."))
}

fn identity(texts: &Texts<'_>) -> ScorePart {
    let given = [
        ("a name", 2, texts.name),
        ("a version", 2, texts.version),
        ("a link to a website", 3, texts.website),
    ];
    let points = given.iter().filter(|(_, _, text)| text.is_some()).map(|(_, points, _)| points).sum();
    let missing: Vec<&str> =
        given.iter().filter(|(_, _, text)| text.is_none()).map(|(word, _, _)| *word).collect();
    let why = if missing.is_empty() {
        "Name, version and website are present.".to_owned()
    } else {
        format!("Missing: {}.", missing.join(", "))
    };
    part("identity", points, 7, why)
}

fn clean(verdict: &Verdict, checks: &[Check]) -> ScorePart {
    if !verdict.speaks && verdict.facts.sign_in.is_none() {
        return part("checks", 0, 10, "There was no answer to check.");
    }
    let failed: Vec<&str> = checks.iter().filter(|check| !check.ok).map(|check| check.id.as_str()).collect();
    let points = match failed.len() {
        _ if checks.iter().any(|check| !check.ok && check.blocking) => 0,
        0 => 10,
        1 => 7,
        _ => 5,
    };
    let why = if failed.is_empty() {
        "Every check passed.".to_owned()
    } else {
        format!("Failed: {}.", failed.join(", "))
    };
    part("checks", points, 10, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks;
    use crate::checks::Context;
    use crate::checks::tests::fine;
    use proptest::prelude::*;
    use registry_model::{ListingId, Moment, Reach, Reason, Skill, Tool};

    fn skill(description: &str) -> Skill {
        Skill {
            id: "s".to_owned(),
            name: "S".to_owned(),
            description: description.to_owned(),
            tags: Vec::new(),
        }
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
        let context = Context { reach: Reach::Public, card_url: None, endpoint_holder: None, listing: None };
        of(verdict, &checks::of(verdict, &context), None)
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
        less(
            |verdict| verdict.facts.description = Some("Weather of cities.....".to_owned()),
            "description",
            3,
        );
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
        let context = Context {
            reach: Reach::Public,
            card_url: None,
            endpoint_holder: None,
            listing: Some(Listing {
                tools_hash: Some("a".to_owned()),
                last_ok_at: Some(Moment::UNIX_EPOCH),
                ..listing()
            }),
        };
        assert_eq!(of(&verdict, &checks::of(&verdict, &context), None).value, 97);
    }

    #[test]
    fn server_json_gives_the_points_for_texts() {
        let mut verdict = good();
        verdict.facts = Facts { kind: Some(Kind::Mcp), ..Facts::default() };
        let described = Listing {
            server_name: Some("com.example/adder".to_owned()),
            description: Some("Adds two numbers.".to_owned()),
            version: Some("1.0.0".to_owned()),
            ..listing()
        };
        let why = |listing: &Listing| {
            let score = of(&verdict, &[], Some(listing));
            let part = |id: &str| {
                let part = score.breakdown.iter().find(|part| part.id == id).unwrap();
                (part.points, part.why.clone())
            };
            [part("description"), part("identity")]
        };
        let texts = [(1, "The description has 17 characters."), (4, "Missing: a link to a website.")];
        assert_eq!(why(&described), texts.map(|(points, why)| (points, why.to_owned())));
        // The name of another listing may be its id.
        let texts =
            [(0, "No description was found."), (0, "Missing: a name, a version, a link to a website.")];
        assert_eq!(why(&listing()), texts.map(|(points, why)| (points, why.to_owned())));
    }

    fn listing() -> Listing {
        let id = ListingId::of_name(Kind::Mcp, "adder");
        Listing::new(id, "Adder".to_owned(), Moment::UNIX_EPOCH)
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
            let verdict = Verdict { handshake, speaks, answers, latency_ms, facts, ..good() };
            let score = scored(&verdict);
            prop_assert_eq!(score.breakdown.iter().map(|part| u32::from(part.of)).sum::<u32>(), 100);
            prop_assert_eq!(score.breakdown.iter().map(|part| u32::from(part.points)).sum::<u32>(), u32::from(score.value));
            prop_assert!(score.breakdown.iter().all(|part| part.points <= part.of && !part.why.is_empty()));
        }
    }
}
