//! `/network`: statistics over all probed listings, with what each figure means.

use askama::Template;
use bytes::Bytes;

use super::chart::{self, Drawing, Plot};
use super::frame::{self, Frame, Section, html};
use super::when::When;
use crate::documents::network_statistics::{
    self, DEFINITIONS, FigureValue, KindFigures, LATENCY_MEANING, NetworkReport,
};
use crate::documents::{Document, DocumentRequest, NoQuery};
use registry_app::App;
use registry_model::error::Problem;
use registry_model::{Latency, NetworkWeek, WeekOfKind};

#[derive(Debug)]
pub(super) struct Network;

#[derive(Template)]
#[template(path = "network.html")]
struct Page<'a> {
    frame: Frame<'a>,
    as_of: Option<When>,
    figures: Vec<FigureSection>,
    latency_meaning: &'static str,
    latencies: [(&'static str, &'a Latency); 2],
    trend: Vec<Trend<'a>>,
}

/// A figure for both kinds.
struct FigureSection {
    name: &'static str,
    title: &'static str,
    meaning: &'static str,
    kinds: Vec<KindTable>,
}

pub(super) struct KindTable {
    pub(super) kind: &'static str,
    pub(super) of: u32,
    pub(super) rows: Vec<Row>,
}

pub(super) struct Row {
    pub(super) value: String,
    pub(super) count: u32,
    pub(super) percent: String,
    pub(super) bar: Drawing,
}

/// The trend of one kind.
struct Trend<'a> {
    kind: &'static str,
    plot: Option<Plot>,
    weeks: Vec<(&'a str, &'a WeekOfKind)>,
}

impl Document for Network {
    const PATHS: &'static [&'static str] = &["/network"];
    const SUMMARY: &'static str =
        "The statistics of `/network.json` for people, with what each figure means.";
    const MEDIA_TYPE: &'static str = frame::MEDIA_TYPE;
    const MAX_AGE_S: Option<u32> = Some(60);
    const HEADERS: &'static [(&'static str, &'static str)] = frame::HEADERS;
    type Query = NoQuery;
    type Answer = String;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        let report = network_statistics::read(app).await?;
        html(&page(app, &report))
    }
}

fn page<'a>(app: &'a App, report: &'a NetworkReport) -> Page<'a> {
    let now = app.clock.now();
    let figures = DEFINITIONS.iter().map(|definition| FigureSection {
        name: definition.name,
        title: definition.title,
        meaning: definition.meaning,
        kinds: tables(report, definition.name),
    });
    let description = "What the network of agents and MCP servers looks like, as probes found it.";
    Page {
        frame: Frame::of(&app.settings, Section::Status, "/network", "Network", description),
        as_of: report.as_of.map(|at| When::of(at, now)),
        figures: figures.collect(),
        latency_meaning: LATENCY_MEANING,
        latencies: [("Agents", &report.agents.latency), ("MCP servers", &report.mcps.latency)],
        trend: vec![
            Trend::of("Agents", &report.weeks, |week| &week.agents),
            Trend::of("MCP servers", &report.weeks, |week| &week.mcps),
        ],
    }
}

/// A figure of each kind that has counted listings.
pub(super) fn tables(report: &NetworkReport, figure: &str) -> Vec<KindTable> {
    let kinds = [("Agents", &report.agents), ("MCP servers", &report.mcps)];
    kinds.into_iter().filter_map(|(kind, figures)| table(kind, figures, figure)).collect()
}

fn table(kind: &'static str, figures: &KindFigures, figure: &str) -> Option<KindTable> {
    let figure = figures.figures.get(figure).filter(|figure| figure.of > 0)?;
    let row = |FigureValue { value, count, percent }: &FigureValue| Row {
        value: value.clone(),
        count: *count,
        percent: percent.map(|percent| format!("{percent:.1} %")).unwrap_or_default(),
        bar: chart::share("used", *count, figure.of),
    };
    Some(KindTable { kind, of: figure.of, rows: figure.values.iter().map(row).collect() })
}

impl<'a> Trend<'a> {
    fn of(
        kind: &'static str,
        weeks: &'a [NetworkWeek],
        of_kind: impl Fn(&'a NetworkWeek) -> &'a WeekOfKind,
    ) -> Self {
        let weeks: Vec<_> = weeks.iter().map(|week| (week.week.as_str(), of_kind(week))).collect();
        let last = weeks.len().saturating_sub(1);
        let point = |(place, (_, week)): (usize, &(&str, &WeekOfKind))| {
            (place as f64 / last as f64, f64::from(week.live))
        };
        let points = weeks.iter().enumerate().map(point).collect();
        let plot = (last > 0).then(|| chart::area(&points));
        Self { kind, plot, weeks: weeks.into_iter().rev().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::Moment;

    fn week(week: &str, live: u32) -> NetworkWeek {
        NetworkWeek {
            week: week.to_owned(),
            as_of: Moment::UNIX_EPOCH,
            agents: WeekOfKind { live, ..WeekOfKind::default() },
            mcps: WeekOfKind::default(),
        }
    }

    #[test]
    fn trend_is_drawn_from_two_weeks_on() {
        let weeks = [week("2026-W46", 5), week("2026-W47", 10)];
        let trend = Trend::of("Agents", &weeks, |week| &week.agents);
        assert_eq!(trend.weeks.iter().map(|(week, _)| *week).collect::<Vec<_>>(), ["2026-W47", "2026-W46"]);
        let plot = trend.plot.unwrap();
        assert!(plot.drawing.to_string().contains("M0.0 50.0L1000.0 0.0"), "{}", plot.drawing);
        assert!(Trend::of("Agents", &weeks[..1], |week| &week.agents).plot.is_none());
        assert!(Trend::of("Agents", &[], |week| &week.agents).plot.is_none());
    }
}
