//! `/`: the home page. It shows what this registry is, how many listings are Live, how fresh the evidence is,
//! and some of the best listings. It also shows how to publish a listing, by form or by request.

use std::cmp::Reverse;

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{AppendHeaders, Redirect};

use super::command::Command;
use super::frame::{self, Frame, Section, html};
use super::problem_page::PublishForm;
use super::rows::Row;
use super::when::When;
use crate::documents::{ROOT_LINKS, probe_statistics, reused_for};
use crate::prelude::*;
use crate::rest::{self, accepted_types, add_vary};
use registry_features::listing::active_page::{self, ActivePosition, PageQuery};
use registry_features::listing::tagline;
use registry_features::publish::operations::LIST_YOURSELF;
use registry_model::Handshake;

const MAX_ROWS: usize = 6;
/// The rows are the best of so many new listings of each kind.
const CANDIDATES: u32 = 24;

/// A page that is rendered within this many seconds is reused, unless a listing changed.
const REUSED_FOR_S: u32 = 10;

const HEADERS: [(&str, &str); frame::HEADERS.len() + ROOT_LINKS.len()] = {
    let mut all = [("", ""); frame::HEADERS.len() + ROOT_LINKS.len()];
    let (own, links) = all.split_at_mut(frame::HEADERS.len());
    own.copy_from_slice(frame::HEADERS);
    links.copy_from_slice(&ROOT_LINKS);
    all
};

#[derive(Template)]
#[template(path = "home.html")]
struct Page<'a> {
    frame: Frame<'a>,
    live: Live,
    form: PublishForm,
    rows: Vec<Row>,
    last_handshake: Option<When>,
    next_sweep: When,
    curl: Command,
}

pub(super) static HOME: AnyDocument = AnyDocument {
    paths: &["/"],
    summary: "The home page for people. Clients that accept only JSON get a redirect (307) to `/discovery.json`.",
    max_age_s: Some(5),
    headers: &HEADERS,
    shows_live: true,
    // The page shows times relative to now, the shortest of them in seconds.
    validator: |app, request| reused_for(app, REUSED_FOR_S, &format!("home/{}", request.live.version)),
    ..frame::page(|app, request| Box::pin(render(app, request)))
};

/// The routes of pages. The root sends clients of JSON to the discovery map.
pub fn routes(served: &[&'static AnyDocument]) -> Router<App> {
    let (home, others): (Vec<_>, Vec<_>) = served.iter().partition(|page| page.paths == HOME.paths);
    let home = rest::documents(&home).route_layer(from_fn(redirect_json_clients));
    home.merge(rest::documents(&others))
}

async fn redirect_json_clients(request: Request, next: Next) -> Response {
    let mut response = if accepts_only_json(request.headers()) {
        (AppendHeaders(ROOT_LINKS), Redirect::temporary("/discovery.json")).into_response()
    } else {
        next.run(request).await
    };
    add_vary(response.headers_mut(), "accept");
    response
}

fn accepts_only_json(headers: &HeaderMap) -> bool {
    let accepted: Vec<String> = accepted_types(headers).map(str::to_ascii_lowercase).collect();
    let is_json = |range: &String| range == "application/json" || range.ends_with("+json");
    let is_page = |range: &String| matches!(range.as_str(), "*/*" | "text/*") || range.contains("html");
    accepted.iter().any(is_json) && !accepted.iter().any(is_page)
}

async fn render(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let (settings, now, live) = (&app.settings, app.clock.now(), request.live);
    let first_page = PageQuery { only: None, from: ActivePosition::default(), limit: CANDIDATES };
    let latest = async { Ok(app.store.latest_probes(Handshake::Ok, 1).await?) };
    let (page, latest) = futures::try_join!(active_page::Page::read(app, &first_page), latest)?;
    let rows = best([page.agents, page.mcps]);
    html(&Page {
        frame: Frame::of(settings, Section::Home, "/", "", tagline(settings)),
        live,
        form: PublishForm::default(),
        rows: rows.iter().map(|listing| Row::of(listing, now)).collect(),
        last_handshake: latest.first().map(|probe| When::of(probe.probed_at, now)),
        next_sweep: When::of(probe_statistics::next_tick(now, settings.probe_tick_seconds), now),
        curl: Command::of(LIST_YOURSELF.described, settings),
    })
}

/// Described and named listings whose last probe passed first, then by score, then the newest; of both kinds in turn.
fn best(kinds: [Vec<Listing>; 2]) -> Vec<Listing> {
    let is_good = |row: &Listing| {
        row.texts.description.is_some()
            && row.texts.name != row.id.as_str()
            && row.schedule.failing_since.is_none()
    };
    let mut rows = Vec::new();
    for mut listings in kinds {
        listings.sort_by_cached_key(|listing| {
            let score = listing.proof.probe.as_ref().map(|probe| probe.score);
            Reverse((is_good(listing), score, listing.list_position()))
        });
        rows.extend(listings.into_iter().enumerate());
    }
    rows.sort_by_key(|(rank, listing)| (!is_good(listing), *rank));
    rows.into_iter().take(MAX_ROWS).map(|(_, listing)| listing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::{LastProbe, Schedule};

    #[test]
    fn described_listings_with_the_highest_score_come_first() {
        let listing = |name: &str, description: Option<&str>, score: u8| {
            let id = format!("agtpub_{score:020}").parse().unwrap();
            let mut listing = Listing::new(id, name.to_owned(), Moment::UNIX_EPOCH);
            listing.texts.description = description.map(str::to_owned);
            let (at, target) = (Moment::UNIX_EPOCH, String::new());
            listing.proof.probe =
                Some(LastProbe { handshake: Handshake::Ok, score, at, target, latency_ms: None });
            listing
        };
        let mut agents = vec![
            listing("probe-peer", None, 99),
            listing("agtpub_00000000000000000098", Some("Its name is its id."), 98),
            listing("Weather", Some("Forecasts."), 80),
            listing("Adder", Some("Adds numbers."), 90),
        ];
        agents.push(Listing {
            schedule: Schedule {
                failing_since: Some(Moment::UNIX_EPOCH),
                ..listing("Down", Some("Up."), 97).schedule
            },
            ..listing("Down", Some("Up."), 97)
        });
        agents.extend((10..15).map(|score| listing("Other", Some("Something."), score)));
        let servers = vec![listing("Clerk", Some("Finds files."), 20), listing("probe-server", None, 95)];
        let names: Vec<String> =
            best([agents, servers]).into_iter().map(|listing| listing.texts.name).collect();
        assert_eq!(names, ["Adder", "Clerk", "Weather", "Other", "Other", "Other"]);
    }
}
