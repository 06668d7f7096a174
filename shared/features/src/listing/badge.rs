//! Badges: small SVG images without fonts or scripts. A badge shows a label about the registry. If the request contains
//! the id of a listing, the badge shows the status of that listing (`specification.md#badges`).

use super::LivenessState;
use crate::prelude::*;

pub const HEADERS: &[(&str, &str)] =
    &[("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'")];

pub const NAMES: [&str; 7] = ["mcp", "agent", "listed", "clean", "verified", "live", "gated"];

const GREEN: &str = "#1a7f37";
const BLUE: &str = "#0b5cad";
const GREY: &str = "#59636e";
const AMBER: &str = "#8a5700";
const RED: &str = "#b42318";

/// Accepts the name with or without `.svg`.
pub fn name(name: &str) -> Result<&'static str, Problem> {
    let name = name.strip_suffix(".svg").unwrap_or(name);
    NAMES.into_iter().find(|known| *known == name).ok_or_else(|| {
        let detail = format!("Unknown badge. Use one of {}.", NAMES.join(", "));
        Problem::not_found(Code::NoSuchBadge, detail)
    })
}

pub fn plain(settings: &Settings, name: &str) -> String {
    // Without a listing, a state is only a word.
    let color = if matches!(name, "mcp" | "agent") { BLUE } else { GREY };
    svg(&settings.brand, name, color)
}

/// The listing is Live by a proof from `oldest_proof` or later.
pub fn badge_of_listing(settings: &Settings, name: &str, listing: &Listing, oldest_proof: Moment) -> String {
    let lane = listing.public_lane(oldest_proof);
    let (active, gated_fails) = (lane == Lane::Active, lane == Lane::Gated && listing.schedule.failures > 0);
    let (word, color) = match (name, LivenessState::of(listing, oldest_proof)) {
        ("live", LivenessState::Failing) if active => ("live, last probe failed", AMBER),
        ("clean" | "verified", LivenessState::Failing) if active => ("last probe failed", AMBER),
        ("live", LivenessState::Failing | LivenessState::Stale) => ("proof expired", GREY),
        ("live" | "clean", _) if gated_fails => ("gated, last probe failed", AMBER),
        ("gated", _) if gated_fails => ("sign-in, last probe failed", AMBER),
        _ => status(name, listing, lane),
    };
    match listing.valid_domain().filter(|_| name == "verified" && active && color != AMBER) {
        Some(domain) => {
            let domain = shorten(domain.as_str(), 60);
            svg(&settings.brand, &format!("{word}, {domain}"), color)
        }
        None => svg(&settings.brand, word, color),
    }
}

/// For an id without a listing: a README that shows it must not look as if it were listed.
pub fn unknown(settings: &Settings) -> String {
    svg(&settings.brand, "unknown", GREY)
}

fn status(name: &str, listing: &Listing, lane: Lane) -> (&'static str, &'static str) {
    let live = lane == Lane::Active;
    // A name that somebody attached to a listing does not change what its badge says.
    let claimed = listing.is_described() && !listing.holds_proven_name();
    match (name, listing.kind) {
        ("mcp", Some(Kind::Mcp)) => ("mcp", BLUE),
        ("agent", Some(Kind::Agent)) => ("agent", BLUE),
        ("mcp" | "agent", None) => ("kind unknown", GREY),
        ("mcp", _) => ("not an mcp server", GREY),
        ("agent", _) => ("not an agent", GREY),
        ("listed", _) if lane == Lane::Withdrawn => ("not listed", RED),
        ("listed", _) => ("listed", GREEN),
        ("gated", _) if lane == Lane::Gated => ("sign-in metadata valid", BLUE),
        ("gated", _) => ("not gated", lane_color(lane)),
        ("clean", _) if live && claimed => ("clean, name claimed", BLUE),
        ("clean", _) if live => ("clean", GREEN),
        ("live" | "clean", _) if lane == Lane::Gated => ("gated", BLUE),
        ("clean", _) => ("not clean", lane_color(lane)),
        ("verified", _) if live && claimed => ("verified handshake, name claimed", BLUE),
        ("verified", _) if live => ("verified handshake", GREEN),
        ("verified", _) => ("not verified", lane_color(lane)),
        (_, _) if live && claimed => ("live, name claimed", BLUE),
        (_, _) if live => ("live", GREEN),
        (_, _) => ("not live", lane_color(lane)),
    }
}

fn lane_color(lane: Lane) -> &'static str {
    if matches!(lane, Lane::NeedsFix | Lane::Demoted | Lane::Withdrawn) { RED } else { GREY }
}

/// Pixels on each side of a text.
const PADDING: u32 = 6;

/// Whole pixels keep the edges sharp; `textLength` makes each text fit in whatever font it is drawn.
fn svg(brand: &str, word: &str, color: &str) -> String {
    let (brand_length, word_length) = (text_length(brand), text_length(word));
    let (left, right) = (brand_length + 2 * PADDING, word_length + 2 * PADDING);
    let (all, word_at) = (left + right, left + PADDING);
    let (brand, word) = (escape(brand), escape(word));
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{all}" height="20" viewBox="0 0 {all} 20" role="img" aria-label="{brand}: {word}"><title>{brand}: {word}</title><clipPath id="round"><rect width="{all}" height="20" rx="3"/></clipPath><g clip-path="url(#round)"><rect width="{left}" height="20" fill="#24292f"/><rect x="{left}" width="{right}" height="20" fill="{color}"/></g><g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11" text-rendering="geometricPrecision"><text x="{PADDING}" y="14" textLength="{brand_length}">{brand}</text><text x="{word_at}" y="14" textLength="{word_length}">{word}</text></g></svg>"##,
    )
}

/// The length of a text in whole pixels in Verdana at 11 pixels.
fn text_length(text: &str) -> u32 {
    let hundredths: u32 = text.chars().map(advance).sum();
    hundredths.div_ceil(100).max(1)
}

/// The width of a character in hundredths of a pixel.
const fn advance(c: char) -> u32 {
    match c {
        'i' | 'l' => 302,
        'f' | 'j' | ' ' => 387,
        't' | ',' | '.' | ':' | ';' | '!' | '\'' => 433,
        'r' | 'I' | 'J' | '-' | '(' | ')' | '/' => 490,
        'c' | 's' | 'z' => 575,
        'L' | 'F' => 625,
        'a' | 'e' | 'k' | 'o' | 'v' | 'x' | 'y' | 'P' | 'T' | 'Y' => 665,
        'b' | 'd' | 'g' | 'h' | 'n' | 'p' | 'q' | 'u' | 'E' | '0'..='9' => 695,
        'm' | 'W' => 1080,
        'w' | 'M' => 915,
        'D' | 'G' | 'H' | 'N' | 'O' | 'Q' | 'U' | '&' => 845,
        'A'..='Z' => 760,
        _ if c.is_ascii() => 690,
        _ => 1100,
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The badge that is proposed first.
pub const DEFAULT: &str = "live";

pub fn url(settings: &Settings, name: &str, id: &ListingId) -> String {
    settings.url(&format!("/badge/{name}.svg?id={id}"))
}

pub fn page_url(settings: &Settings, id: &ListingId) -> String {
    settings.url(&format!("/list/{id}"))
}

/// A badge for a README, linked to the page of the listing.
pub fn markdown(settings: &Settings, name: &str, id: &ListingId) -> String {
    format!("[![{}]({})]({})", settings.brand, url(settings, name, id), page_url(settings, id))
}

pub fn html(settings: &Settings, name: &str, id: &ListingId) -> String {
    let (page, image, brand) = (page_url(settings, id), url(settings, name, id), escape(&settings.brand));
    format!(r#"<a href="{page}"><img src="{image}" alt="{brand}" height="20"></a>"#)
}

#[cfg(test)]
mod tests;
