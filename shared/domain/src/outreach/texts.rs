//! The messages that the registry sends to listings. Each message states why it was sent and how to opt out.
//! It also states that no other message follows within the next days.

use serde_json::json;

use registry_app::App;
use registry_model::settings::Settings;
use registry_model::{Draft, Listing, ListingId, Moment, TalkChannel, TalkKind, TalkMessage};

pub const OPT_OUT_PATH: &str = "/api/products/demo-nudge";

/// The demo of an invited listing. It counts after its owner confirms it.
pub fn demo_link(settings: &Settings, id: &ListingId) -> String {
    settings.url(&format!("/api/products/demo?listing_id={id}&source=invitation"))
}

pub fn inbox_link(settings: &Settings, id: &ListingId) -> String {
    settings.url(&format!("/api/talk?listing_id={id}"))
}

pub fn invitation(settings: &Settings, listing: &Listing) -> String {
    format!(
        "{brand} lists {name} as Live, because it answered its last handshake. A free demo is available at \
         {demo}. The demo contains files made from the card and the probe of {name}; it needs no account. If \
         you send feedback on the demo, you get a founding seat (a free full product) while seats are left. \
         {close}",
        brand = settings.brand,
        name = listing.name,
        demo = demo_link(settings, &listing.id),
        close = close(settings, &listing.id),
    )
}

pub fn connector_draft(settings: &Settings, listing: &Listing, roles: &str) -> Draft {
    let demo_link = demo_link(settings, &listing.id);
    Draft {
        subject: format!("{} is the connector of the day at {}", listing.name, settings.brand),
        body: format!(
            "{brand} chose {name} as its connector of the day: {roles}. At {active}, you can read all Live \
             agents and MCP servers with the evidence of their last handshake. A free demo, made from your \
             own card and probe, is available at {demo_link}. {close}",
            brand = settings.brand,
            name = listing.name,
            active = settings.url("/api/listings/active"),
            close = close(settings, &listing.id),
        ),
        demo_link,
    }
}

fn close(settings: &Settings, id: &ListingId) -> String {
    let body = json!({ "listing_id": id, "action": "opt_out" });
    format!(
        "This is a single message. You will receive no other message within {} days. To opt out: POST {} \
         {body}",
        settings.outreach_pause_days,
        settings.url(OPT_OUT_PATH),
    )
}

pub fn message(app: &App, to: &ListingId, kind: TalkKind, text: String, at: Moment) -> TalkMessage {
    TalkMessage {
        id: format!("msg_{:013}_{}", at.as_millisecond(), app.random.hex(6)),
        at,
        to: to.clone(),
        from: None,
        channel: TalkChannel::Registry,
        kind,
        text,
    }
}
