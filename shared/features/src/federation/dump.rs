//! The daily dump: everything that the public lists contain, as compressed JSON Lines. The first line describes the dump.
//! Each other line is a listing as the public API shows it. A run writes parts until its time is used up, and the next run
//! continues. Nobody can read a dump before it is complete: the last step stores its list of parts and adds its checksum to
//! the evidence log, in one transaction.

use std::io::Write as _;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use futures::future::BoxFuture;
use schemars::{Schema, SchemaGenerator, schema_for};

use crate::funnel::{self, Deal};
use crate::listing::{Row, Server, ServerResponse};
use crate::log::LogPlace;
use crate::prelude::*;
use registry_model::{Access, LastLeaf, Listed, ServerDocument, UnfinishedDump};
use registry_search::browse::{self, BrowseQuery};
use registry_store::StoreError;

pub const SCHEMA_PATH: &str = "/dumps/schema.json";

/// Listings read at once.
const PAGE: usize = 100;

/// The members of a row of the active list that a line contains. The others are offers of this registry to the listing.
const MEMBERS: [&str; 13] = [
    "listing_id",
    "kind",
    "access",
    "name",
    "description",
    "name_standing",
    "proven_domain",
    "category_id",
    "probe",
    "liveness",
    "agent_card_url",
    "website",
    "protocol_version",
];

/// How much a run and a part may contain.
#[derive(Clone, Copy, Debug)]
pub struct DumpLimits {
    /// Listings of a part.
    pub listings: u64,
    /// After this number of compressed bytes, a part ends: a Lambda answer has at most 6 MB, and base64 adds a third.
    pub bytes: usize,
    /// A run begins no part after this time.
    pub time: Duration,
}

impl Default for DumpLimits {
    fn default() -> Self {
        Self { listings: 5_000, bytes: 3 << 20, time: Duration::from_secs(100) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DumpReport {
    day: String,
    parts: u32,
    /// Whether this run completed the dump.
    published: bool,
}

/// The first line of a dump.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DumpHeader {
    /// The URL of the JSON Schema of each line.
    schema: String,
    /// The SPDX identifier of the license of the data.
    license: String,
    /// The base URL of the registry.
    registry: String,
    /// The name of the registry.
    brand: String,
    /// When the dump was begun.
    begun_at: Moment,
    /// The evidence log when the dump was begun. Absent if there was no log yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<LogHead>,
}

/// The tree of the evidence log.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LogHead {
    origin: String,
    tree_size: u64,
    /// Base64.
    root_hash: String,
}

/// A listing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DumpLine {
    /// The URL that was published: a card, a site or an MCP endpoint. Absent for a server that only has packages.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// As in `/api/listings/active`, without the offers of the registry.
    #[schemars(schema_with = "listing_schema")]
    listing: Map<String, Value>,
    /// An MCP server as in `/v0.1/servers`: its `server.json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    server: Option<Server>,
    /// The metadata of the server, as in `/v0.1/servers`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Map<String, Value>>,
    /// The latest decision in the evidence log.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<LogPlace>,
}

/// A line of a dump.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only for its schema")]
enum AnyLine {
    Header(DumpHeader),
    Listing(Box<DumpLine>),
}

fn listing_schema(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = Row::json_schema(generator);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| MEMBERS.contains(&name.as_str()));
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name.as_str().is_some_and(|name| MEMBERS.contains(&name)));
    }
    schema
}

/// The JSON Schema of each line.
#[must_use]
pub fn schema() -> Value {
    let mut schema = schema_for!(AnyLine).to_value();
    // Definitions of members that are left out.
    loop {
        let text = schema.to_string();
        let Some(definitions) = schema["$defs"].as_object_mut() else { return schema };
        let before = definitions.len();
        definitions.retain(|name, _| text.contains(&format!("\"#/$defs/{name}\"")));
        if definitions.len() == before {
            return schema;
        }
    }
}

/// Writes what is missing of the dump of this day. `None` if the registry has no license for dumps, the dump of the day is
/// complete, or nothing is listed yet. If another run is faster, this one stops.
pub fn run<'a>(
    app: &'a App,
    limits: &'a DumpLimits,
) -> BoxFuture<'a, Result<Option<DumpReport>, StoreError>> {
    Box::pin(async move {
        let Some(license) = &app.settings.dump_license else { return Ok(None) };
        let (began, now) = (Instant::now(), app.clock.now());
        let day = now.utc_day();
        if app.store.has_dump(&day).await? {
            return Ok(None);
        }
        app.search.refresh().await?;
        let mut report = DumpReport { day: day.clone(), parts: 0, published: false };
        let mut stored = app.store.unfinished_dump().await?;
        let mut dump = stored.clone().filter(|dump| dump.day == day && dump.license == *license);
        loop {
            let mut next = dump.take().unwrap_or_else(|| UnfinishedDump {
                day: day.clone(),
                begun_at: now,
                license: license.clone(),
                parts: Vec::new(),
                after: None,
            });
            let part = write_part(app, &next, limits).await?;
            let is_last = part.next.is_none();
            if next.parts.is_empty() && is_last && part.lines <= 1 {
                return Ok(None);
            }
            if part.lines > 0 {
                next.parts.push(app.store.keep_dump_part(&part.bytes, part.lines, app.clock.now()).await?);
                report.parts += 1;
            }
            next.after = part.next;
            if is_last {
                report.published = app.store.publish_dump(&next.finished(app.clock.now())).await?;
                return Ok(Some(report));
            }
            let is_first = app.store.advance_dump(stored.as_ref(), &next).await?;
            if !is_first || began.elapsed() >= limits.time {
                return Ok(Some(report));
            }
            stored = Some(next.clone());
            dump = Some(next);
        }
    })
}

struct Part {
    bytes: Vec<u8>,
    lines: u64,
    /// After which listing the next part begins; `None` at the end of the dump.
    next: Option<String>,
}

async fn write_part(app: &App, dump: &UnfinishedDump, limits: &DumpLimits) -> Result<Part, StoreError> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let mut lines = u64::from(dump.parts.is_empty());
    if dump.parts.is_empty() {
        write_line(&mut encoder, &header(app, dump).await?)?;
    }
    let most = limits.listings.saturating_add(lines);
    let live = app.store.live().await?;
    let deal = funnel::deal(&app.settings, live.funnel.seats_claimed);
    let mut query = BrowseQuery {
        listed: Listed::With(Access::All),
        after: dump.after.clone(),
        limit: PAGE,
        ..BrowseQuery::default()
    };
    let next = 'pages: loop {
        let page = app.search.browse_loaded(&query).await?;
        let ids: Vec<ListingId> = page.rows.iter().map(|row| row.listing.id.clone()).collect();
        let (documents, leaves) =
            futures::try_join!(app.store.server_documents(&ids), app.store.last_leaves(&ids))?;
        for row in &page.rows {
            let id = &row.listing.id;
            let line = line(app, row, documents.get(id), leaves.get(id), &deal)?;
            write_line(&mut encoder, &line)?;
            lines += 1;
            if lines >= most || encoder.get_ref().len() >= limits.bytes {
                break 'pages Some(row.place());
            }
        }
        query.after = page.next;
        if query.after.is_none() {
            break None;
        }
    };
    Ok(Part { bytes: encoder.finish().map_err(|error| fault(&error))?, lines, next })
}

fn write_line(encoder: &mut GzEncoder<Vec<u8>>, line: &impl Serialize) -> Result<(), StoreError> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    encoder.write_all(&text).map_err(|error| fault(&error))
}

async fn header(app: &App, dump: &UnfinishedDump) -> Result<DumpHeader, StoreError> {
    let tree = app.store.log_tree().await?;
    Ok(DumpHeader {
        schema: app.settings.url(SCHEMA_PATH),
        license: dump.license.clone(),
        registry: app.settings.base_url.clone(),
        brand: app.settings.brand.clone(),
        begun_at: dump.begun_at,
        log: tree.map(|tree| LogHead { origin: tree.origin, tree_size: tree.size, root_hash: tree.root }),
    })
}

fn line(
    app: &App,
    row: &browse::Row,
    document: Option<&ServerDocument>,
    leaf: Option<&LastLeaf>,
    deal: &Deal,
) -> Result<DumpLine, StoreError> {
    let (listing, settings) = (&row.listing, &app.settings);
    let mut members = match serde_json::to_value(Row::of(listing, settings, deal, app.clock.now()))? {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    members.retain(|name, _| MEMBERS.contains(&name.as_str()));
    let response = match listing.likely_kind() {
        Kind::Agent => None,
        Kind::Mcp => Some(ServerResponse::of_row(row, document, settings)),
    };
    let (server, meta) = response.map(|ServerResponse { server, meta }| (server, meta)).unzip();
    let log = leaf.map(|leaf| LogPlace::of_last(settings, &listing.id, leaf));
    Ok(DumpLine { url: listing.url.clone(), listing: members, server, meta, log })
}

fn fault(error: &std::io::Error) -> StoreError {
    StoreError::Fault(error.to_string())
}
