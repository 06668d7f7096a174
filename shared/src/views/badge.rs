//! Badges: a label about the registry or, with a listing's id, the status of that listing (contract "Badges"). Small
//! SVG images without fonts or scripts of their own.

use crate::error::Problem;
use crate::model::{Kind, Lane, Listing, ListingId, Moment};
use crate::settings::Settings;

/// The names of badges.
pub const NAMES: [&str; 6] = ["mcp", "agent", "listed", "clean", "verified", "live"];

const GREEN: &str = "#1a7f37";
const BLUE: &str = "#0b5cad";
const GREY: &str = "#59636e";
const RED: &str = "#b42318";

/// The badge called `name` (an ending of `.svg` is let pass).
///
/// # Errors
/// 404 for a name that is none.
pub fn name(name: &str) -> Result<&'static str, Problem> {
    let name = name.strip_suffix(".svg").unwrap_or(name);
    NAMES.into_iter().find(|known| *known == name).ok_or_else(|| {
        let detail = format!("There is no such badge. The badges are {}.", NAMES.join(", "));
        Problem::new(http::StatusCode::NOT_FOUND, "no_such_badge", detail)
    })
}

/// A badge that shows its own name.
#[must_use]
pub fn plain(settings: &Settings, name: &str) -> String {
    let color = if matches!(name, "mcp" | "agent") { BLUE } else { GREEN };
    svg(&settings.brand, name, color)
}

/// A badge that shows the status of a listing, which is Live by a proof from `oldest_proof` or later.
#[must_use]
pub fn of_listing(settings: &Settings, name: &str, listing: &Listing, oldest_proof: Moment) -> String {
    let (word, color) = says(name, listing.kind, listing.shown_lane(oldest_proof));
    svg(&settings.brand, word, color)
}

/// What a badge says of a listing.
fn says(name: &str, kind: Option<Kind>, lane: Lane) -> (&'static str, &'static str) {
    let live = lane == Lane::Active;
    match (name, kind) {
        ("mcp", Some(Kind::Mcp)) => ("mcp", BLUE),
        ("agent", Some(Kind::Agent)) => ("agent", BLUE),
        ("mcp", _) => ("not an mcp server", GREY),
        ("agent", _) => ("not an agent", GREY),
        ("listed", _) => ("listed", GREEN),
        ("clean", _) if live => ("clean", GREEN),
        ("clean", _) => ("not clean", lane_color(lane)),
        ("verified", _) if live => ("verified handshake", GREEN),
        ("verified", _) => ("not verified", lane_color(lane)),
        (_, _) if live => ("live", GREEN),
        (_, _) => ("not live", lane_color(lane)),
    }
}

fn lane_color(lane: Lane) -> &'static str {
    if lane == Lane::Queued { GREY } else { RED }
}

fn svg(brand: &str, word: &str, color: &str) -> String {
    let brand = escape(brand);
    // Verdana at 11 px is about 6.6 px a character: close enough for a label that no font is shipped with.
    let width = |text: &str| 12 + text.chars().count() * 66 / 10;
    let (left, right) = (width(&brand), width(word));
    let all = left + right;
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{all}" height="20" role="img" aria-label="{brand}: {word}"><title>{brand}: {word}</title><rect width="{left}" height="20" fill="#24292f"/><rect x="{left}" width="{right}" height="20" fill="{color}"/><g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"><text x="{}" y="14">{brand}</text><text x="{}" y="14">{word}</text></g></svg>"##,
        left / 2,
        left + right / 2,
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The clean badge of a listing.
#[must_use]
pub fn clean_url(settings: &Settings, id: &ListingId) -> String {
    settings.url(&format!("/badge/clean.svg?id={id}"))
}

/// A listing's clean badge for a README, linked to the evidence.
#[must_use]
pub fn markdown(settings: &Settings, id: &ListingId) -> String {
    let status = settings.url(&format!("/api/listings/status?id={id}"));
    format!("[![{}]({})]({status})", settings.brand, clean_url(settings, id))
}
