//! Checks every text of a peer's documents in full. The registry stores only a shortened copy, but clients read the
//! whole text. For each kind of fault only the first one is kept, so that the result does not grow with the document.

use std::fmt::Write as _;

use serde_json::Value;

use crate::injection;
use crate::json_texts::Segment::{self, Item, Member};
use crate::json_texts::{Role, visit};
use crate::plain_text::{self, TextKind};
use registry_model::error::shorten;
use registry_model::{Listing, SignIn, TextFaults};

const MAX_PLACE_CHARS: usize = 120;

pub fn card_faults(card: &Value) -> TextFaults {
    faults(in_card, Vec::new(), card)
}

pub fn opening_faults(result: &Value) -> TextFaults {
    faults(in_opening, Vec::new(), result)
}

/// `before` is the number of tools on the earlier pages.
pub fn tool_faults(page: &[Value], before: usize) -> TextFaults {
    let mut faults = TextFaults::default();
    for (index, tool) in page.iter().enumerate() {
        check_texts(&mut faults, in_tool, vec![Member("tools"), Item(before + index)], tool);
    }
    faults
}

/// Whether a resource, a resource template or a prompt contains a text that must not be shown.
pub fn is_unfit(entry: &Value) -> bool {
    !faults(in_tool, vec![Member("entries"), Item(0)], entry).is_none()
}

/// Whether the texts of a tool's definition must not be shown. In its JSON, an escaped line end would hide a phrase of an
/// injection, and a quotation mark would make it an example.
pub fn is_unfit_tool(definition: &str) -> bool {
    registry_model::json::parse(definition.as_bytes())
        .is_ok_and(|tool| !tool_faults(std::slice::from_ref(&tool), 0).is_none())
}

/// A listing's own texts come from its publisher, or from the peer at an earlier probe.
pub fn listing_faults(listing: &Listing) -> TextFaults {
    let texts = [
        ("name", Some(&listing.texts.name), TextKind::Name),
        ("description", listing.texts.description.as_ref(), TextKind::Description),
        ("server name", listing.ownership.server_name.as_ref(), TextKind::Label),
        ("version", listing.texts.version.as_ref(), TextKind::Label),
        ("website", listing.texts.website.as_ref(), TextKind::Value),
        ("URL", listing.url.as_ref(), TextKind::Value),
        ("card's URL", listing.card_url.as_ref(), TextKind::Value),
        ("endpoint", listing.endpoint.as_ref(), TextKind::Value),
    ];
    let mut faults = TextFaults::default();
    for (place, words, kind) in texts {
        if let Some(words) = words {
            check_text(&mut faults, words, kind, || format!("the listing's {place}"));
        }
    }
    faults
}

/// The sentence about a sign-in contains texts of the server and of its authorization server.
pub fn sign_in_faults(sign_in: &SignIn) -> TextFaults {
    let mut faults = TextFaults::default();
    check_text(&mut faults, &sign_in.issuer, TextKind::Label, || "the issuer".to_owned());
    check_text(&mut faults, &sign_in.scopes.join(" "), TextKind::Label, || "the scopes".to_owned());
    faults
}

/// Only texts that are shown must satisfy the rules for shown texts.
fn in_card(path: &[Segment<'_>]) -> TextKind {
    match path {
        [Member("name")] => TextKind::Name,
        [Member("version")]
        | [Member("provider"), Member("organization")]
        | [Member("skills"), Item(_)]
        | [Member("skills"), Item(_), Member("id" | "name")]
        | [Member("skills"), Item(_), Member("tags"), Item(_)] => TextKind::Label,
        [Member("description")] | [Member("skills"), Item(_), Member("description")] => TextKind::Description,
        [Member("skills"), Item(_), Member("examples"), Item(_)] => TextKind::ForModels,
        _ => elsewhere(path),
    }
}

/// The server's identity is in the result, or in its `_meta` from 2026-07-28 on.
fn in_opening(path: &[Segment<'_>]) -> TextKind {
    let member = match path {
        [Member("serverInfo"), Member(member)]
        | [Member("_meta"), Member("io.modelcontextprotocol/serverInfo"), Member(member)] => member,
        [Member("instructions")] => return TextKind::ForModels,
        _ => return elsewhere(path),
    };
    match *member {
        "name" | "title" => TextKind::Name,
        "version" => TextKind::Label,
        "description" => TextKind::Description,
        _ => TextKind::Value,
    }
}

fn in_tool(path: &[Segment<'_>]) -> TextKind {
    match path {
        [_, _, Member("name" | "title")] => TextKind::Label,
        [_, _, Member("description")] => TextKind::Description,
        _ => elsewhere(path),
    }
}

/// Within schemas and extensions: prose is recognized by the member's name.
fn elsewhere(path: &[Segment<'_>]) -> TextKind {
    match path {
        [.., Member("description" | "title")] => TextKind::ForModels,
        _ => TextKind::Value,
    }
}

fn faults<'d>(
    kind_at: fn(&[Segment<'d>]) -> TextKind,
    path: Vec<Segment<'d>>,
    document: &'d Value,
) -> TextFaults {
    let mut faults = TextFaults::default();
    check_texts(&mut faults, kind_at, path, document);
    faults
}

fn check_texts<'d>(
    faults: &mut TextFaults,
    kind_at: fn(&[Segment<'d>]) -> TextKind,
    mut path: Vec<Segment<'d>>,
    document: &'d Value,
) {
    visit(document, &mut path, &mut |path, text, role| match role {
        Role::Value => check_text(faults, text, kind_at(path), || display_path(path)),
        Role::MemberName => {
            // A model reads the names of arguments too, and the page of the listing shows them.
            let kind = match path {
                [Member("tools"), Item(_), Member("inputSchema"), Member("properties")] => TextKind::Label,
                _ => TextKind::Value,
            };
            check_text(faults, text, kind, || display_path(path) + " (a member name)");
        }
    });
}

fn check_text(faults: &mut TextFaults, words: &str, kind: TextKind, place: impl Fn() -> String) {
    let at = |why: String| format!("{}: {why}", place());
    if faults.not_plain.is_none() {
        faults.not_plain = plain_text::fault(words, kind).map(at);
    }
    if faults.injection.is_none() {
        faults.injection = injection::fault(words).map(at);
    }
}

/// A place as its author knows it, such as `skills[2].description`.
fn display_path(path: &[Segment<'_>]) -> String {
    let mut place = String::new();
    for segment in path {
        let dot = if place.is_empty() { "" } else { "." };
        // Writing to a text cannot fail.
        let _ = match segment {
            Member(name) => write!(place, "{dot}{}", shorten(name, MAX_PLACE_CHARS).escape_debug()),
            Item(index) => write!(place, "[{index}]"),
        };
    }
    shorten(&place, MAX_PLACE_CHARS)
}

#[cfg(test)]
mod tests;
