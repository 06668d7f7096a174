//! `/list`: the board of Live listings. It shows the newest listings first, or the best matches for a search,
//! in pages. A visitor can filter by kind and category. Each row shows the evidence of the last handshake.

use serde::Deserializer;
use serde::de::IntoDeserializer as _;

use super::frame::{Frame, Section, html, page};
use super::rows::Row;
use crate::prelude::*;
use registry_features::listing::active_page::{self, PageQuery};
use registry_features::listing::operations::ard_search::{self, Arguments};
use registry_features::operation::arguments::KindFilter;
use registry_model::{Access, Category};
use registry_search::Hit;

/// Per page.
const ROWS: u32 = 50;

/// Which part of the board to show.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct BoardQuery {
    /// A search in plain words. Default: the newest listings.
    #[schemars(length(max = 20000))]
    q: String,
    /// Only agents, or only MCP servers. Default: both.
    kind: Option<KindFilter>,
    /// Only this category, by its id, such as `data-analytics`.
    #[schemars(extend("format" = "category-id"))]
    category: String,
    /// `open` (handshake without sign-in), `gated` (sign-in), `package` (run by its users) or `all`. Default: the Live listings.
    #[serde(deserialize_with = "unless_empty", alias = "state", alias = "lane")]
    access: Option<Access>,
    /// The cursor of the page, from the link on the previous page.
    #[schemars(extend("format" = "board-cursor"))]
    cursor: String,
}

/// A form sends an empty text for what was not chosen.
fn unless_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Access>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() { Ok(None) } else { Access::deserialize(text.into_deserializer()).map(Some) }
}

impl BoardQuery {
    /// Words, categories and the access need the search index.
    fn is_search(&self) -> bool {
        !(self.q.trim().is_empty() && self.category.is_empty() && self.access.is_none())
    }

    fn link(&self, cursor: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let kind = self.kind.map_or("", KindFilter::as_str);
        let access = self.access.map_or("", Access::as_str);
        for (name, value) in [
            ("q", self.q.as_str()),
            ("kind", kind),
            ("category", &self.category),
            ("access", access),
            ("cursor", cursor),
        ] {
            if !value.is_empty() {
                query.append_pair(name, value);
            }
        }
        format!("/list?{}", query.finish())
    }
}

#[derive(Template)]
#[template(path = "board.html")]
struct Page<'a> {
    frame: Frame<'a>,
    query: &'a BoardQuery,
    live: Live,
    /// What each choice of the kind would find: all, agents and MCP servers.
    counts: [usize; 3],
    rows: Vec<Row>,
    summary: String,
    next: Option<String>,
}

impl Page<'_> {
    /// Value, label, count, and whether it is chosen.
    fn kinds(&self) -> [(&'static str, &'static str, usize, bool); 3] {
        let [all, agents, mcps] = self.counts;
        let chosen = self.query.kind.unwrap_or(KindFilter::All);
        [
            (KindFilter::All, "All", all),
            (KindFilter::Agent, "Agents", agents),
            (KindFilter::Mcp, "MCP servers", mcps),
        ]
        .map(|(kind, label, count)| (kind.as_str(), label, count, kind == chosen))
    }

    fn categories(&self) -> Vec<(Category, bool)> {
        let chosen = |category: &Category| category.id() == self.query.category;
        Category::all().map(|category| (category.clone(), chosen(&category))).collect()
    }

    /// Value, label, and whether it is chosen.
    fn accesses(&self) -> [(&'static str, &'static str, bool); 5] {
        [
            (None, "Live"),
            (Some(Access::Open), "Live, handshake without sign-in"),
            (Some(Access::Gated), "With sign-in"),
            (Some(Access::Package), "Run it yourself"),
            (Some(Access::All), "All of these"),
        ]
        .map(|(access, label)| (access.map_or("", Access::as_str), label, access == self.query.access))
    }

    fn is_live(&self) -> bool {
        matches!(self.query.access, None | Some(Access::Open))
    }

    fn is_narrowed(&self) -> bool {
        self.query.is_search()
            || !self.query.cursor.is_empty()
            || self.query.kind.is_some_and(|kind| kind != KindFilter::All)
    }
}

struct Part {
    rows: Vec<Row>,
    counts: [usize; 3],
    summary: String,
    next: Option<String>,
}

pub(super) static BOARD: AnyDocument = AnyDocument {
    paths: &["/list"],
    summary: "The live board for people. It shows every Live agent and MCP server with its evidence, and has a search \
        and filters.",
    max_age_s: Some(5),
    shows_live: true,
    validator: |app, request| {
        let query: &BoardQuery = request.query()?;
        if query.is_search() {
            return Ok(None);
        }
        let minute = app.clock.now().as_second() / 60;
        Ok(Some(CacheValidator::weak(&format!("board/{}/{minute}/{query:?}", request.live.version))))
    },
    ..page(|app, request| Box::pin(render(app, request))).with_query::<BoardQuery>()
};

async fn render(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let (query, live) = (request.query::<BoardQuery>()?, request.live);
    let part = if query.is_search() { found(app, query).await? } else { newest(app, query, live).await? };
    let description = format!(
        "{} and {}. A Live listing answered a real handshake within the last {}.",
        counted(live.agents, "agent"),
        counted(live.mcps, "MCP server"),
        app.settings.recheck_in_words()
    );
    let frame = Frame::of(&app.settings, Section::Board, "/list", "Browse", description);
    html(&Page {
        frame: if query.is_search() || !query.cursor.is_empty() { frame.not_indexed() } else { frame },
        query,
        live,
        counts: part.counts,
        rows: part.rows,
        summary: part.summary,
        next: part.next.map(|cursor| query.link(&cursor)),
    })
}

async fn newest(app: &App, query: &BoardQuery, live: Live) -> Result<Part, Problem> {
    let cursor = Some(query.cursor.as_str()).filter(|cursor| !cursor.is_empty());
    let search = PageQuery::read(query.kind, Some(ROWS), cursor, ROWS)?;
    let (listings, next) = active_page::Page::read(app, &search).await?.newest(&search.from, ROWS);
    let total = search.only.map_or(live.agents + live.mcps, |kind| live.of(kind));
    let summary = match (listings.len(), cursor) {
        (0, _) => String::new(),
        (_, None) => format!("{}, newest first.", counted(total, "Live listing")),
        (rows, Some(_)) => format!("{rows} more of {total} Live listings."),
    };
    let now = app.clock.now();
    let rows = listings.iter().map(|listing| Row::of(listing, now)).collect();
    let counts = [live.agents + live.mcps, live.agents, live.mcps].map(|n| usize::try_from(n).unwrap_or(0));
    Ok(Part { rows, counts, summary, next: next.cursor() })
}

async fn found(app: &App, query: &BoardQuery) -> Result<Part, Problem> {
    let category = Some(query.category.clone()).filter(|id| !id.is_empty());
    let arguments = Arguments {
        q: query.q.clone(),
        kind: query.kind,
        category,
        access: query.access,
        limit: Some(ROWS),
        ..Arguments::default()
    };
    let skip = match query.cursor.as_str() {
        "" => 0,
        cursor => cursor.parse::<u32>().map_err(|_| {
            Problem::invalid(
                "cursor",
                Code::BadCursor,
                "`cursor` must come from the link on the previous page.",
            )
        })?,
    };
    let skip = usize::try_from(skip).unwrap_or(usize::MAX / 2);
    let search = registry_search::Query { skip, ..ard_search::parse_query(&arguments)? };
    let now = app.clock.now();
    let found = app.search.find(&search, now).await?;
    let end = skip + search.limit;
    let words = search.text.as_str();
    let row = |hit: &Hit| Row {
        reasons: Some(hit.reasons().join("; ")).filter(|_| !words.is_empty()),
        ..Row::of(&hit.listing, now)
    };
    let rows: Vec<Row> = found.hits.iter().map(row).collect();
    // These searches read no item. A search for one kind can find weak hits that one for both kinds leaves out.
    let of_kind = |kind| registry_search::Query { kind, skip: 0, limit: 1, ..search.clone() };
    let total = found.total;
    let all = if search.kind.is_none() { total } else { app.search.total(&of_kind(None)).await? };
    let (agents, servers) = (of_kind(Some(Kind::Agent)), of_kind(Some(Kind::Mcp)));
    let (agents, servers) = futures::try_join!(app.search.total(&agents), app.search.total(&servers))?;
    let summary = match (&found.corrected, rows.len()) {
        (_, 0) => "No results.".to_owned(),
        (_, rows) if skip > 0 => format!("{rows} more of {total}."),
        _ if found.nearest_only => format!("No sure match for “{words}”. {total} nearest:"),
        (Some(instead), _) => {
            format!("Showing results for “{instead}” instead of “{words}”: {total} found, best first.")
        }
        (None, _) if words.is_empty() => format!("{total} found, last changed first."),
        (None, _) => format!("{total} found for “{words}”, best first."),
    };
    let counts = [all, agents, servers];
    Ok(Part { rows, counts, summary, next: (end < total).then(|| end.to_string()) })
}
