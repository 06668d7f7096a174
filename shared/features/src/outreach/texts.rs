//! The messages that the registry sends to listings. Each message states why it was sent and how to opt out.
//! It also states that no other invitation follows within the next days.

use crate::prelude::*;
use registry_model::{Draft, TalkChannel, TalkKind, TalkMessage};
use registry_products::Proof;

pub const OPT_OUT_PATH: &str = "/api/products/demo-nudge";

/// The demo of an invited listing. It counts after its owner confirms it.
pub fn demo_link(settings: &Settings, id: &ListingId) -> String {
    settings.url(&format!("/api/products/demo?listing_id={id}&source=invitation"))
}

/// Names the fix for the finding of the last probe that costs the most points.
pub fn invitation(settings: &Settings, listing: &Listing, proof: Option<&Proof>) -> String {
    let finding = match proof.and_then(|proof| proof.weaknesses.first()) {
        // Without what the probe saw: that may be words of the server.
        Some(weakness) => format!("The most important fix: {}", sentence(&weakness.fix)),
        None => "The probe that proved it found nothing to fix.".to_owned(),
    };
    let score = proof.map(|proof| format!(" with {} of 100 points", proof.score)).unwrap_or_default();
    format!(
        "{brand} lists {name} as Live{score}. {finding} The demo with the list of all fixes is free and needs no \
         account: {demo} If you send feedback on the demo, you get a founding seat (a free full product), if one is \
         left for it, else a code for 25 % off. {close}",
        brand = settings.brand,
        name = listing.texts.name,
        demo = format_args!("{}&sku=recursive", demo_link(settings, &listing.id)),
        close = close(settings, &listing.id),
    )
}

fn sentence(text: &str) -> String {
    let text = shorten(text.trim_end_matches('.'), 300);
    format!("{text}.")
}

/// `reasons` are the traits of a connector that the listing has.
pub fn connector_draft(settings: &Settings, listing: &Listing, reasons: &str) -> Draft {
    let demo_link = demo_link(settings, &listing.id);
    Draft {
        subject: format!("{} is the connector of the day at {}", listing.texts.name, settings.brand),
        body: format!(
            "A connector is a listing that connects other listings. The registry names at most one each day, and chose {name} for \
             these reasons: {reasons}. You need not do anything. Live agents and MCP servers, as JSON: {active} A free \
             demo with files for {name}, made from its own texts and its last proof: {demo_link} {close}",
            name = listing.texts.name,
            active = settings.url("/api/listings/active"),
            close = close(settings, &listing.id),
        ),
        demo_link,
    }
}

fn close(settings: &Settings, id: &ListingId) -> String {
    let body = json!({ "listing_id": id, "action": "opt_out" });
    format!(
        "This is a single message. You will receive no other invitation within {}. To opt out: POST {} {body}",
        counted(settings.outreach_pause_days, "day"),
        settings.url(OPT_OUT_PATH),
    )
}

pub fn message(app: &App, to: &ListingId, kind: TalkKind, text: String, at: Moment) -> TalkMessage {
    let id = TalkMessage::id_at(at, &app.random.hex(6));
    TalkMessage { id, at, to: to.clone(), from: None, channel: TalkChannel::Registry, kind, text }
}
