//! The score of a listing, from 0 to 100, with its parts. A number alone does not tell the owner what to do.
//! So every part says what the probe found and how many points this gave.

use registry_formats::limits::LONGEST_DESCRIPTION;
use registry_model::{Check, Facts, Handshake, Kind, Listing, Score, ScorePart, Verdict, counted};

/// The signal of a light handshake: it sent no message, because an earlier one was answered.
pub(crate) const MESSAGE_ANSWERED_BEFORE: &str = "message_answered_before";

/// Three quarters of the points depend on how the peer behaved in the probe. `listing` is `None` for a URL that is not listed.
pub fn compute_score(verdict: &Verdict, checks: &[Check], listing: Option<&Listing>) -> Score {
    let facts = &verdict.facts;
    let [name, text, version, website] = texts(facts, listing);
    let breakdown = vec![
        handshake(verdict),
        answers(verdict),
        latency(verdict),
        protocol(facts),
        description(text),
        abilities(facts),
        identity(name, version, website),
        clean(verdict, checks),
    ];
    Score { value: breakdown.iter().map(|part| part.points).sum(), breakdown }
}

/// The name, description, version and website that a listing shows. A server.json describes its server, whatever the
/// server says of itself.
fn texts<'a>(facts: &'a Facts, listing: Option<&'a Listing>) -> [Option<&'a str>; 4] {
    let texts = match listing.filter(|listing| listing.is_described()) {
        Some(own) => [
            Some(&own.texts.name),
            own.texts.description.as_ref(),
            own.texts.version.as_ref(),
            own.texts.website.as_ref(),
        ],
        None => [&facts.name, &facts.description, &facts.version, &facts.website].map(Option::as_ref),
    };
    texts.map(|text| text.map(|text| text.trim()).filter(|text| !text.is_empty()))
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
            (15, "It asks for a sign-in, and the metadata of the sign-in is correct.".to_owned())
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
        (Some(false), _) => (0, "It gave no valid answer to a message."),
        (None, Handshake::Ok) if listed => (10, "It listed its tools."),
        (None, Handshake::Ok) if verdict.signals.iter().any(|signal| signal == MESSAGE_ANSWERED_BEFORE) => {
            (10, "It answered the last message. No message was sent this time.")
        }
        (None, Handshake::Ok) if verdict.facts.kind == Some(Kind::Mcp) => (5, "It has no tools to list."),
        (None, Handshake::Ok) => (5, "No message was sent this time."),
        (None, _) if verdict.speaks => (0, "It did not complete the handshake."),
        (None, _) => (0, "There was no answer in A2A or MCP."),
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
    let is_ok = verdict.handshake == Handshake::Ok;
    let what = if is_ok { "The handshake took" } else { "Its last answer came after" };
    part("latency", points, 10, format!("{what} {ms} ms."))
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
        Some(version) => part("protocol", worth(version), 10, format!("Protocol version {version} counts.")),
        None => part("protocol", 0, 10, "No supported protocol version was read."),
    }
}

fn description(text: Option<&str>) -> ScorePart {
    let Some(text) = text else { return part("description", 0, 5, "No description was read.") };
    let length = text.chars().count();
    let points = match length {
        0..=19 => 1,
        20..=79 => 3,
        _ => 5,
    };
    let over = if length > LONGEST_DESCRIPTION { "over " } else { "" };
    let length = counted(length.min(LONGEST_DESCRIPTION), "character");
    part("description", points, 5, format!("The description had {over}{length}."))
}

fn abilities(facts: &Facts) -> ScorePart {
    let (word, texts): (_, Vec<&str>) = if facts.kind == Some(Kind::Mcp) {
        ("tools", facts.tools.iter().map(|tool| tool.description.as_str()).collect())
    } else {
        ("skills", facts.skills.iter().map(|skill| skill.description.as_str()).collect())
    };
    let (all, described_count) = (texts.len(), texts.iter().filter(|text| !text.trim().is_empty()).count());
    // Two points for having any, the rest by how many are described. Of long lists and texts, only a part is stored.
    let points = (6 * described_count)
        .checked_div(all)
        .and_then(|share| u8::try_from(share).ok())
        .map_or(0, |share| 2 + share);
    let why = match all {
        0 => format!("No {word} were read."),
        _ => format!("Stored {word} with a description: {described_count} of {all}."),
    };
    part("abilities", points, 8, why)
}

fn identity(name: Option<&str>, version: Option<&str>, website: Option<&str>) -> ScorePart {
    let given = [("a name", 2, name), ("a version", 2, version), ("a link to a website", 3, website)];
    let points = given.iter().filter(|(_, _, text)| text.is_some()).map(|(_, points, _)| points).sum();
    let missing: Vec<&str> =
        given.iter().filter(|(_, _, text)| text.is_none()).map(|(word, _, _)| *word).collect();
    let why = if missing.is_empty() {
        "Name, version and website are present.".to_owned()
    } else {
        format!("Not read: {}.", missing.join(", "))
    };
    part("identity", points, 7, why)
}

fn clean(verdict: &Verdict, checks: &[Check]) -> ScorePart {
    if !verdict.speaks && verdict.facts.sign_in.is_none() {
        return part("checks", 0, 10, "There was no answer in A2A or MCP.");
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
        format!("Did not pass: {}.", failed.join(", "))
    };
    part("checks", points, 10, why)
}

#[cfg(test)]
mod tests;
