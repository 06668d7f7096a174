//! `/`: the home page. It shows what this registry is, how many listings are Live, how fresh the evidence is,
//! and the newest listings. It also shows how to publish a listing, by form or by request.

use askama::Template;
use bytes::Bytes;

use super::command::Command;
use super::frame::{self, Frame, Section, html};
use super::problem_page::PublishForm;
use super::rows::Row;
use super::when::When;
use crate::documents::{Document, DocumentRequest, NoQuery, ROOT_LINKS, Validity, probe_statistics};
use registry_app::App;
use registry_domain::views::active_page::{self, ActivePosition, PageQuery};
use registry_model::Handshake;
use registry_model::cache::CacheValidator;
use registry_model::error::Problem;
use registry_operations::LIST_YOURSELF;
use registry_store::Live;

const MAX_ROWS: u32 = 6;

/// A page that is rendered within this many seconds is reused, unless a listing changed.
const REUSED_FOR_S: i64 = 10;

const HEADERS: [(&str, &str); frame::HEADERS.len() + ROOT_LINKS.len()] = {
    let mut all = [("", ""); frame::HEADERS.len() + ROOT_LINKS.len()];
    let mut at = 0;
    while at < all.len() {
        let links = frame::HEADERS.len();
        all[at] = if at < links { frame::HEADERS[at] } else { ROOT_LINKS[at - links] };
        at += 1;
    }
    all
};

#[derive(Debug)]
pub(super) struct Home;

#[derive(Template)]
#[template(path = "home.html")]
struct Page<'a> {
    frame: Frame<'a>,
    live: Live,
    recheck_days: u32,
    form: PublishForm,
    rows: Vec<Row>,
    last_handshake: Option<When>,
    next_sweep: When,
    curl: Command,
}

impl Document for Home {
    const PATHS: &'static [&'static str] = &["/"];
    const SUMMARY: &'static str = "The home page for people. It shows what this registry is, what is Live, \
        and how to publish a listing.";
    const MEDIA_TYPE: &'static str = frame::MEDIA_TYPE;
    const MAX_AGE_S: Option<u32> = Some(5);
    const HEADERS: &'static [(&'static str, &'static str)] = &HEADERS;
    const SHOWS_LIVE: bool = true;
    type Query = NoQuery;
    type Answer = String;

    /// The page shows times relative to now, the shortest of them in seconds.
    fn cache_validator(app: &App, request: &DocumentRequest<NoQuery>) -> Validity {
        let span = app.clock.now().as_second().div_euclid(REUSED_FOR_S);
        Ok(Some(CacheValidator::weak(&format!("home/{}/{span}", request.live.version))))
    }

    async fn render(app: &App, request: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        let (settings, now, live) = (&app.settings, app.clock.now(), request.live);
        let first_page = PageQuery { only: None, from: ActivePosition::default(), limit: MAX_ROWS };
        let latest = async { Ok(app.store.latest_probes(Handshake::Ok, 1).await?) };
        let (page, latest) = futures::try_join!(active_page::read(app, &first_page), latest)?;
        let (newest, _) = page.newest(&first_page.from, MAX_ROWS);
        let description = format!(
            "A public registry of AI agents and MCP servers. Every Live listing answered a real protocol handshake \
             within the last {} days.",
            settings.recheck_days
        );
        html(&Page {
            frame: Frame::of(settings, Section::Home, "/", "", description),
            live,
            recheck_days: settings.recheck_days,
            form: PublishForm::default(),
            rows: newest.iter().map(|listing| Row::of(listing, now)).collect(),
            last_handshake: latest.first().map(|probe| When::of(probe.probed_at, now)),
            next_sweep: When::of(probe_statistics::next_tick(now, settings.probe_tick_seconds), now),
            curl: Command::of(LIST_YOURSELF.described, settings),
        })
    }
}
