//! Measures a registry with a million Live listings. Status, the active list, the feed, publishing and the
//! funnel must cost the same as with a thousand listings. The first listings are written with the code of the
//! registry. All other listings are copies of them, which are written directly into the file.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ::tests::instrumented::Observer;
use dynoxide::{Database, ImportOptions, Item};
use local::{Data, Local, Options};
use registry::model::{Clock, Kind};
use registry::settings::{Mode, Settings};
use serde_json::{Value, json};

use crate::Failure;
use crate::folder::Folder;
use crate::growth;
use crate::operations::{Cost, Counter};
use crate::report::{Report, amount};
use crate::seed::{self, Site};
use crate::words::Words;

/// Live listings of the two counts: the seeded ones, and with the copies.
const SIZES: [usize; 2] = [1_000, 1_000_000];
/// Listings per import into the file.
const BATCH: usize = 5_000;

/// Counts at both sizes.
///
/// # Errors
/// The registry does not start, or a reply is wrong.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    report.part("A million Live listings: copies of seeded ones, written directly into the file");
    let folder = Folder::new()?;
    let file = folder.file("million.db");
    let clock = Clock::manual(Clock::default().now());
    let few = count(&file, &clock, true).await?;
    let began = Instant::now();
    fill(&file)?;
    report.info("time to make copies", amount(began.elapsed().as_secs_f64(), "s"));
    report.info("size of the file", amount(std::fs::metadata(&file)?.len() as f64 / 1e9, "GB"));
    let many = count(&file, &clock, false).await?;
    let counted = [few, many];
    growth::judge(report, &SIZES, &counted)
}

/// Counts with the table in a file. Seeds the first listings of a new file.
async fn count(file: &Path, clock: &Clock, new: bool) -> Result<Vec<Cost>, Failure> {
    let observer = Observer::default();
    let local = Local::start(Options {
        parts: Arc::new(observer.clone()),
        clock: clock.clone(),
        data: Data::File(file.to_path_buf()),
        ..Options::new(Settings::from_env(Mode::Development, |_| None)?)
    })
    .await?;
    let (settings, words) = (&local.app.settings, Arc::new(Words::real()));
    let store = seed::store(&local.engine, settings);
    if new {
        seed::seed(&store, settings, clock.now(), 0..SIZES[0], &words).await?;
    }
    // Listings of this count only, newer than all others, that have not taken a demo.
    let mut ids = Vec::new();
    let first = if new { SIZES[1] } else { SIZES[1] + 100 };
    for number in first..first + 20 {
        let site = Site { kind: Kind::Mcp, url: format!("https://of-its-own-{number}.example.com"), number };
        ids.push(seed::live_at(&store, settings, clock.now(), &site, &words).await?);
    }
    seed::index(&local.app).await?;
    let subjects = growth::subjects(&local, ids).await?;
    let counted = Counter::new(&local, &observer, clock).await?.table_bound(&subjects).await?;
    local.stop().await;
    Ok(counted)
}

/// Copies the items of one agent and one MCP server with other ids and hosts, until there are a million listings.
fn fill(file: &Path) -> Result<(), Failure> {
    let database = Database::new(file.to_str().ok_or("the path is not valid UTF-8")?)?;
    let settings = Settings::from_env(Mode::Development, |_| None)?;
    let kinds = [Kind::Agent, Kind::Mcp];
    let patterns: Vec<Pattern> =
        kinds.iter().map(|kind| Pattern::read(&database, &settings, *kind)).collect::<Result<_, _>>()?;
    database.enable_bulk_loading()?;
    let mut number = SIZES[0];
    while number < SIZES[1] {
        let end = SIZES[1].min(number + BATCH);
        let mut items: Vec<Item> = Vec::new();
        for number in number..end {
            patterns[number % patterns.len()].copy(number, &mut items)?;
        }
        database.import_items(&settings.table_name, items, ImportOptions::default())?;
        number = end;
    }
    database.disable_bulk_loading()?;
    Ok(())
}

/// All items of one listing as text, with its id and host.
struct Pattern {
    id: String,
    host: String,
    items: Vec<String>,
}

impl Pattern {
    /// Reads the first seeded listing of this kind.
    fn read(database: &Database, settings: &Settings, kind: Kind) -> Result<Self, Failure> {
        let number = usize::from(kind == Kind::Mcp);
        let site = Site { kind, url: seed::origin(kind, number), number };
        let id = seed::id_of(&site, settings)?.to_string();
        let host = site.url.trim_start_matches("https://").to_owned();
        let mut items = Vec::new();
        let mut from = Value::Null;
        loop {
            let mut request = json!({ "TableName": settings.table_name });
            if !from.is_null() {
                request["ExclusiveStartKey"] = from;
            }
            let page = serde_json::to_value(database.scan(serde_json::from_value(request)?)?)?;
            let all = page["Items"].as_array().into_iter().flatten().map(Value::to_string);
            // Without items of the search index, which contain several listings.
            items.extend(all.filter(|item| item.contains(&id) && !item.contains("INDEX#")));
            from = page["LastEvaluatedKey"].clone();
            if from.is_null() {
                break;
            }
        }
        if items.is_empty() {
            return Err(format!("{id} has no items in the file").into());
        }
        Ok(Self { id, host, items })
    }

    fn copy(&self, number: usize, items: &mut Vec<Item>) -> Result<(), Failure> {
        let id = format!("{}{number:08}", &self.id[..self.id.len() - 8]);
        let host = format!("copy-{number}.example.com");
        for item in &self.items {
            items.push(serde_json::from_str(&item.replace(&self.id, &id).replace(&self.host, &host))?);
        }
        Ok(())
    }
}
