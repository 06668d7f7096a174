//! Checks every text of a peer's documents in full. The registry stores only a shortened copy, but clients read the
//! whole text. For each kind of fault only the first one is kept, so that the result does not grow with the document.

use std::fmt::Write as _;

use serde_json::Value;

use crate::injection;
use crate::plain_text::{self, TextKind};
use registry_model::error::shorten;
use registry_model::{Listing, SignIn, TextFaults};

const MAX_PLACE_CHARS: usize = 120;
pub fn of_card(card: &Value) -> TextFaults {
    faults(in_card, card)
}
pub fn of_opening(result: &Value) -> TextFaults {
    faults(in_opening, result)
}

/// `before` is the number of tools on the earlier pages.
pub fn of_tools(page: &[Value], before: usize) -> TextFaults {
    let mut walk = Walk { kind_at: in_tool, path: Vec::new(), faults: TextFaults::default() };
    for (index, tool) in page.iter().enumerate() {
        walk.path = vec![Segment::Member("tools"), Segment::Item(before + index)];
        walk.visit(tool);
    }
    walk.faults
}

/// Whether a resource, a resource template or a prompt contains a text that must not be shown.
pub fn is_unfit(entry: &Value) -> bool {
    let path = vec![Segment::Member("entries"), Segment::Item(0)];
    let mut walk = Walk { kind_at: in_tool, path, faults: TextFaults::default() };
    walk.visit(entry);
    !walk.faults.is_none()
}

/// Whether the texts of a tool's definition must not be shown. In its JSON, an escaped line end would hide a phrase of an
/// injection, and a quotation mark would make it an example.
pub fn is_unfit_tool(definition: &str) -> bool {
    registry_model::json::parse(definition.as_bytes())
        .is_ok_and(|tool| !of_tools(std::slice::from_ref(&tool), 0).is_none())
}

/// A listing's own texts come from its publisher, or from the peer at an earlier probe.
pub fn of_listing(listing: &Listing) -> TextFaults {
    let texts = [
        ("name", Some(&listing.name), TextKind::Name),
        ("description", listing.description.as_ref(), TextKind::Description),
        ("server name", listing.server_name.as_ref(), TextKind::Label),
        ("version", listing.version.as_ref(), TextKind::Label),
        ("website", listing.website.as_ref(), TextKind::Value),
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
pub fn of_sign_in(sign_in: &SignIn) -> TextFaults {
    let mut faults = TextFaults::default();
    check_text(&mut faults, &sign_in.issuer, TextKind::Label, || "the issuer".to_owned());
    check_text(&mut faults, &sign_in.scopes.join(" "), TextKind::Label, || "the scopes".to_owned());
    faults
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Segment<'d> {
    Member(&'d str),
    Item(usize),
}

use Segment::{Item, Member};

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

fn faults<'d>(kind_at: fn(&[Segment<'d>]) -> TextKind, document: &'d Value) -> TextFaults {
    let mut walk = Walk { kind_at, path: Vec::new(), faults: TextFaults::default() };
    walk.visit(document);
    walk.faults
}

/// Visits every text of a document. The JSON reader limits its depth, the fetcher its size.
struct Walk<'d> {
    kind_at: fn(&[Segment<'d>]) -> TextKind,
    path: Vec<Segment<'d>>,
    faults: TextFaults,
}

impl<'d> Walk<'d> {
    fn visit(&mut self, value: &'d Value) {
        if self.faults.is_full() {
            return;
        }
        match value {
            Value::String(words) => {
                check_text(&mut self.faults, words, (self.kind_at)(&self.path), || display_path(&self.path));
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.step(Item(index), item);
                }
            }
            Value::Object(members) => {
                // A model reads the names of arguments too, and the page of the listing shows them.
                let kind = match self.path[..] {
                    [Member("tools"), Item(_), Member("inputSchema"), Member("properties")] => {
                        TextKind::Label
                    }
                    _ => TextKind::Value,
                };
                for (name, member) in members {
                    check_text(&mut self.faults, name, kind, || {
                        display_path(&self.path) + " (a member name)"
                    });
                    self.step(Member(name), member);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn step(&mut self, segment: Segment<'d>, value: &'d Value) {
        self.path.push(segment);
        self.visit(value);
        self.path.pop();
    }
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
