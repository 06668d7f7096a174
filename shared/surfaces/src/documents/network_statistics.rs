//! `/network.json` and `/network.csv`: statistics over all probed listings. Each figure has its denominator and the time
//! of its count, so that others can quote it. The page `/network` shows the same figures.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use super::document::{Document, DocumentRequest, NoQuery, json};
use registry_app::App;
use registry_model::error::Problem;
use registry_model::{KindStatistics, Latency, Moment, NetworkStatistics, NetworkWeek, Tallied, WeekOfKind};

/// The statistics change once an hour.
const MAX_AGE: Option<u32> = Some(300);

/// A figure: its name, its title and its meaning.
pub(crate) struct Definition {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) meaning: &'static str,
    read: fn(&KindStatistics) -> &Tallied,
}

pub(crate) const DEFINITIONS: [Definition; 5] = [
    Definition {
        name: "outcomes",
        title: "Outcome of the last probe",
        meaning: "All listings that were probed at least once and are not withdrawn, by the outcome of their last probe: \
                  ok (the handshake completed), partial (it speaks the protocol, but something prevents its use), fail \
                  (the protocol was not found), skip (it cannot be probed).",
        read: |of_kind| &of_kind.outcomes,
    },
    Definition {
        name: "reasons",
        title: "Why it cannot be used",
        meaning: "Probed listings whose last probe was not ok or whose checks failed, by the family of the first reason. \
                  Each listing counts once.",
        read: |of_kind| &of_kind.reasons,
    },
    Definition {
        name: "versions",
        title: "Protocol versions",
        meaning: "Listings whose last handshake was ok, by the protocol versions that they spoke or declared. A listing \
                  with several versions counts once for each version. A probe does not try every version of MCP, so a \
                  server may speak older versions that are not counted.",
        read: |of_kind| &of_kind.versions,
    },
    Definition {
        name: "capabilities",
        title: "Capabilities",
        meaning: "Listings whose last handshake was ok, by what the handshake found. Agents: skills (its card has skills), \
                  answers_messages (it answered a text message), json_rpc and http_json (the transport that answered), \
                  declares_sign_in (its card declares authentication). MCP servers: tools, resources_or_prompts, sessions \
                  (it gave a session id), stateless (it answered server/discover), event_stream (it answered with \
                  server-sent events).",
        read: |of_kind| &of_kind.capabilities,
    },
    Definition {
        name: "access",
        title: "Sign-in",
        meaning: "Live and gated listings: open (no sign-in is needed) or gated (callers must sign in, and the sign-in is \
                  correct).",
        read: |of_kind| &of_kind.access,
    },
];

pub(crate) const LATENCY_MEANING: &str = "The duration of the last handshake of each listing whose last handshake was ok, \
    from the first request to the last answer, in milliseconds. A handshake is several requests, sent from one place.";

/// A figure of one kind of listings.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Figure {
    /// The denominator: the number of listings that were counted.
    pub(crate) of: u32,
    /// The most frequent value is first.
    pub(crate) values: Vec<FigureValue>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FigureValue {
    pub(crate) value: String,
    /// The listings with this value.
    pub(crate) count: u32,
    /// `count` as a percentage of `of`, rounded to one decimal. Null where `of` is 0.
    pub(crate) percent: Option<f64>,
}

impl Figure {
    fn of(tallied: &Tallied) -> Self {
        let row = |(value, count): (&str, u32)| FigureValue {
            value: value.to_owned(),
            count,
            percent: percent(count, tallied.of),
        };
        Self { of: tallied.of, values: tallied.sorted().into_iter().map(row).collect() }
    }
}

fn percent(count: u32, of: u32) -> Option<f64> {
    (of > 0).then(|| (f64::from(count) * 1000.0 / f64::from(of)).round() / 10.0)
}

/// The figures of all agents or of all MCP servers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct KindFigures {
    /// Listings that were probed at least once and are not withdrawn.
    pub(crate) probed: u32,
    /// Listings that are Live.
    pub(crate) live: u32,
    /// By name, as in `definitions`.
    #[serde(flatten)]
    pub(crate) figures: BTreeMap<&'static str, Figure>,
    /// Handshake times.
    pub(crate) latency: Latency,
}

impl KindFigures {
    fn of(statistics: &KindStatistics) -> Self {
        let figure = |definition: &Definition| (definition.name, Figure::of((definition.read)(statistics)));
        Self {
            probed: statistics.probed,
            live: statistics.live,
            figures: DEFINITIONS.iter().map(figure).collect(),
            latency: statistics.latency.clone(),
        }
    }
}

/// Statistics over all probed listings, counted once an hour.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NetworkReport {
    ok: bool,
    /// When the listings were counted. Null before the first count; all figures are then 0.
    #[schemars(with = "Option<String>")]
    pub(crate) as_of: Option<Moment>,
    pub(crate) agents: KindFigures,
    pub(crate) mcps: KindFigures,
    /// The last count of each week, the oldest first, for at most 53 weeks.
    pub(crate) weeks: Vec<NetworkWeek>,
    /// The meaning of each figure.
    definitions: BTreeMap<&'static str, &'static str>,
    /// The page with these figures.
    page: String,
    /// The same figures as a table.
    csv: String,
}

/// One read.
pub(crate) async fn read(app: &App) -> Result<NetworkReport, Problem> {
    let stored = app.store.network_statistics().await?;
    let as_of = stored.as_ref().map(|stored| stored.as_of);
    let NetworkStatistics { agents, mcps, weeks, .. } = stored.unwrap_or_else(|| NetworkStatistics {
        as_of: Moment::UNIX_EPOCH,
        agents: KindStatistics::default(),
        mcps: KindStatistics::default(),
        weeks: Vec::new(),
    });
    let mut definitions: BTreeMap<_, _> =
        DEFINITIONS.iter().map(|definition| (definition.name, definition.meaning)).collect();
    definitions.insert("latency", LATENCY_MEANING);
    Ok(NetworkReport {
        ok: true,
        as_of,
        agents: KindFigures::of(&agents),
        mcps: KindFigures::of(&mcps),
        weeks,
        definitions,
        page: app.settings.url("/network"),
        csv: app.settings.url("/network.csv"),
    })
}

/// The statistics as JSON.
#[derive(Debug)]
pub(super) struct NetworkJson;

impl Document for NetworkJson {
    const PATHS: &'static [&'static str] = &["/network.json"];
    const SUMMARY: &'static str = "Statistics over all probed listings: outcomes, reasons, protocol versions, capabilities, \
        sign-in, handshake times and a weekly trend, each with its denominator.";
    const MAX_AGE_S: Option<u32> = MAX_AGE;
    type Query = NoQuery;
    type Answer = NetworkReport;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        json(&read(app).await?)
    }
}

/// The statistics as a table.
#[derive(Debug)]
pub(super) struct NetworkTable;

impl Document for NetworkTable {
    const PATHS: &'static [&'static str] = &["/network.csv"];
    const SUMMARY: &'static str = "The statistics of `/network.json` as CSV, one figure per row: period, as_of, kind, \
        figure, value, count (or milliseconds), of (the denominator), percent.";
    const MEDIA_TYPE: &'static str = "text/csv; charset=utf-8; header=present";
    const MAX_AGE_S: Option<u32> = MAX_AGE;
    type Query = NoQuery;
    type Answer = String;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        Ok(table(&read(app).await?).into())
    }
}

/// No value needs quotes: values contain only letters, digits, dots, dashes and underscores.
fn table(report: &NetworkReport) -> String {
    let mut table = String::from("period,as_of,kind,figure,value,count,of,percent\r\n");
    if let Some(as_of) = report.as_of {
        for (kind, of_kind) in [("agents", &report.agents), ("mcps", &report.mcps)] {
            let mut row = |figure: &str, value: &str, count: Option<u32>, of: u32, share: Option<f64>| {
                let period = format!("current,{as_of},{kind}");
                add_row(&mut table, &period, figure, value, count, of, share);
            };
            row("live", "live", Some(of_kind.live), of_kind.probed, percent(of_kind.live, of_kind.probed));
            for (name, figure) in &of_kind.figures {
                for FigureValue { value, count, percent } in &figure.values {
                    row(name, value, Some(*count), figure.of, *percent);
                }
            }
            let latency = &of_kind.latency;
            row("latency", "p50_ms", latency.p50_ms, latency.of, None);
            row("latency", "p95_ms", latency.p95_ms, latency.of, None);
        }
    }
    for week in &report.weeks {
        for (kind, of_kind) in [("agents", &week.agents), ("mcps", &week.mcps)] {
            let WeekOfKind { probed, ok, live, gated, p50_ms } = *of_kind;
            let period = format!("{},{},{kind}", week.week, week.as_of);
            let mut row = |figure: &str, value: &str, count: Option<u32>, share: Option<f64>| {
                add_row(&mut table, &period, figure, value, count, probed, share);
            };
            row("outcomes", "ok", Some(ok), percent(ok, probed));
            row("live", "live", Some(live), percent(live, probed));
            row("access", "gated", Some(gated), percent(gated, probed));
            row("latency", "p50_ms", p50_ms, None);
        }
    }
    table
}

fn add_row(
    table: &mut String,
    period: &str,
    figure: &str,
    value: &str,
    count: Option<u32>,
    of: u32,
    share: Option<f64>,
) {
    let count = count.map(|count| count.to_string()).unwrap_or_default();
    let share = share.map(|share| format!("{share:.1}")).unwrap_or_default();
    let _ = write!(table, "{period},{figure},{value},{count},{of},{share}\r\n");
}
