//! The reciprocity score: what a listing gives back to the registry. A listing gets points for clean checks,
//! a link to the registry, a proven domain and a card. The score is calculated from stored evidence without
//! any request. Each part of the score has a reason.

use crate::listing::is_clean;
use crate::prelude::*;
use registry_model::{Assessment, Identity};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reciprocity {
    pub score: u32,
    pub signals: Vec<Signal>,
}

/// One part of the score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Signal {
    /// `clean`, `links_back`, `domain` or `card`.
    pub id: &'static str,
    /// Whether the signal was found.
    pub holds: bool,
    /// The points that the listing got for this part.
    pub points: u32,
    /// The maximum number of points for this part.
    pub of: u32,
    /// What was found.
    pub why: String,
}

impl Reciprocity {
    pub fn of(app: &App, listing: &Listing, evidence: Option<&Assessment>, identities: &[Identity]) -> Self {
        let signals = vec![
            clean(listing, evidence, app.oldest_proof()),
            links_back(&app.settings.base_url, listing, evidence),
            domain(listing, identities),
            card(listing, evidence),
        ];
        Self { score: signals.iter().map(|signal| signal.points).sum(), signals }
    }

    pub fn links_back(&self) -> bool {
        self.signals.iter().any(|signal| signal.id == "links_back" && signal.holds)
    }
}

fn signal(id: &'static str, of: u32, holds: bool, why: impl Into<String>) -> Signal {
    Signal { id, holds, points: if holds { of } else { 0 }, of, why: why.into() }
}

fn clean(listing: &Listing, evidence: Option<&Assessment>, oldest_proof: Moment) -> Signal {
    let holds = is_clean(listing, evidence, oldest_proof);
    let why = match (holds, listing.is_live(oldest_proof)) {
        (true, _) => "It is Live, and every blocking check passed.",
        (false, true) => "It is Live, but its last probe or a blocking check failed.",
        (false, false) => "It is not Live.",
    };
    signal("clean", 30, holds, why)
}

fn links_back(base_url: &str, listing: &Listing, evidence: Option<&Assessment>) -> Signal {
    let facts = evidence.map(|evidence| &evidence.verdict.facts);
    let of_facts = facts.into_iter().flat_map(|facts| {
        let skills = facts.skills.iter().map(|skill| skill.description.as_str());
        [&facts.website, &facts.description].into_iter().flatten().map(String::as_str).chain(skills)
    });
    let own = [&listing.texts.website, &listing.texts.description].into_iter().flatten().map(String::as_str);
    let holds = own.chain(of_facts).any(|text| links_to(base_url, text));
    let why = if holds {
        format!("A documentation link or a description that was read contains {base_url}.")
    } else {
        format!("No documentation link and no description that was read contains {base_url}.")
    };
    signal("links_back", 40, holds, why)
}

/// Whether a text contains a URL of the registry; a host that only starts with the same characters does not count.
fn links_to(base_url: &str, text: &str) -> bool {
    let ends =
        |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | ':' | '@'));
    let sentence_end = |rest: &str| {
        rest.strip_prefix('.').is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    };
    text.match_indices(base_url).any(|(at, found)| {
        let rest = &text[at + found.len()..];
        ends(rest) || sentence_end(rest)
    })
}

fn domain(listing: &Listing, identities: &[Identity]) -> Signal {
    let why = match (identities.last(), listing.holds_proven_name()) {
        (Some(identity), _) => {
            let (domain, method) = (&identity.proven_domain, identity.method.as_str());
            format!("A key of the domain {domain} is bound to it ({method}).")
        }
        (None, true) => "Its name is proven.".to_owned(),
        (None, false) => "No key of its domain is bound to it, and its name is not proven.".to_owned(),
    };
    signal("domain", 20, !identities.is_empty() || listing.holds_proven_name(), why)
}

fn card(listing: &Listing, evidence: Option<&Assessment>) -> Signal {
    let valid = evidence
        .is_some_and(|evidence| evidence.checks.iter().any(|check| check.id == "card_valid" && check.ok));
    let (holds, why) = match listing.likely_kind() {
        Kind::Agent if valid && listing.card_url.is_some() => (true, "Its card is valid."),
        Kind::Agent => (false, "No valid card of it was read."),
        Kind::Mcp if listing.is_described() => (true, "It has a server description."),
        Kind::Mcp => (false, "It has no server description."),
    };
    signal("card", 10, holds, why)
}

#[cfg(test)]
mod tests {
    use super::links_to;

    #[test]
    fn link_counts_only_if_it_points_to_this_host() {
        let base = "https://registry.example.org";
        for text in [
            "https://registry.example.org",
            "See https://registry.example.org.",
            "[![x](https://registry.example.org/badge/clean.svg?id=a)](https://registry.example.org/list)",
            "https://registry.example.org?x",
        ] {
            assert!(links_to(base, text), "{text}");
        }
        for text in [
            "",
            "registry.example.org",
            "https://registry.example.organic",
            "https://registry.example.org.evil.example",
            "https://registry.example.org:8443/",
            "https://registry.example.org@evil.example",
            "http://registry.example.org/",
        ] {
            assert!(!links_to(base, text), "{text}");
        }
    }
}
