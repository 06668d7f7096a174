//! `bench cost` calculates two costs: the cost of a million requests of each operation, and the cost of 100,000 Live
//! listings for a month without requests. It multiplies measured units and bytes by the prices from the settings.

use registry::economy::cost_model;
use registry::settings::{Mode, Settings};
use tests::template::Template;

use crate::Failure;
use crate::prices::PriceList;
use crate::report::Report;
use crate::upkeep::{self, Upkeep};

/// Live listings in the monthly calculation.
const LISTINGS: f64 = 100_000.0;
const MONTH: f64 = 30.4375 * 24.0 * 3600.0;
/// Stored weekly proofs of a listing: those of 90 days.
const STORED_PROOFS: f64 = 90.0 / 7.0;
const BYTES_PER_GIB: f64 = 1_073_741_824.0;
/// Concurrent handshakes of a recheck.
const CONCURRENT: f64 = 64.0;

/// Calculates and reports the costs.
///
/// # Errors
/// Prices cannot be read, or the upkeep cannot be measured.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    let settings = Settings::from_env(Mode::Development, |name| std::env::var(name).ok())?;
    let prices = PriceList::read(settings.prices)?;
    requests(report, &prices)?;
    let upkeep = upkeep::measure().await?;
    month(report, &prices, &upkeep, settings.recheck_interval().as_secs_f64())?;
    report.note(
        "Not included: free tiers, taxes, bytes sent to callers, logs, alarms, and the start of a function. A call is \
         billed as if its table operations ran one after another.",
    );
    Ok(())
}

fn requests(report: &mut Report, prices: &PriceList) -> Result<(), Failure> {
    report.part(format!("A million requests of each operation, in USD ({})", prices.date_and_region()));
    let template = Template::read()?;
    let memory = largest_memory(&template);
    let (operation, own) = (prices.seconds("table_operation_ms")?, prices.seconds("function_own_ms")?);
    let mut rows = Vec::new();
    for cost in cost_model::measured()? {
        let table = prices.units(cost.read_units, cost.write_units) * 1e6;
        let gateway = prices.request() * 1e6;
        let seconds = own + operation * cost.table_operations as f64;
        let function = prices.function(1.0, seconds, memory)? * 1e6;
        let refused = cost.refused.as_ref().map_or("", |_| ", refused");
        let text = format!(
            "{:>6.2}: table {table:.2} ({} r, {} w), API {gateway:.2}, function {function:.2}{refused}",
            table + gateway + function,
            cost.read_units,
            cost.write_units
        );
        rows.push((table + gateway + function, cost.operation, text));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, name, text) in rows {
        report.info(name, text);
    }
    Ok(())
}

/// MB of the largest function behind the API.
fn largest_memory(template: &Template) -> f64 {
    template.events("HttpApi").into_iter().map(|(name, _)| template.memory(name)).fold(0.0, f64::max)
}

fn month(
    report: &mut Report,
    prices: &PriceList,
    upkeep: &Upkeep,
    recheck_interval: f64,
) -> Result<(), Failure> {
    report.part(format!("A month of {LISTINGS} Live listings, in USD ({})", prices.date_and_region()));
    let template = Template::read()?;
    let memory = |name: &str| template.memory(name);
    let gigabytes = LISTINGS * (upkeep.bytes + STORED_PROOFS * upkeep.bytes_of_recheck) / BYTES_PER_GIB;
    let rechecks = LISTINGS * MONTH / recheck_interval;
    let operation = prices.seconds("table_operation_ms")?;
    let mut all = 0.0;
    let mut row = |name: &str, usd: f64, of: String| {
        all += usd;
        report.info(name, format!("{usd:>8.2}: {of}"));
    };
    row(
        "storage and point-in-time backup",
        gigabytes * (prices.usd("table_gb_month")? + prices.usd("backup_gb_month")?),
        format!(
            "{gigabytes:.2} GB: {:.0} B per listing, {:.0} B per proof",
            upkeep.bytes, upkeep.bytes_of_recheck
        ),
    );
    let units = upkeep.recheck.units;
    row(
        "weekly proofs: the table",
        prices.units(rechecks * units.read, rechecks * units.write),
        format!("{rechecks:.0} proofs of {:.1} r and {:.1} w", units.read, units.write),
    );
    // The function waits for many handshakes concurrently.
    let seconds =
        rechecks * (prices.seconds("handshake_ms")? + operation * upkeep.recheck.operations) / CONCURRENT;
    row(
        "weekly proofs: the function",
        prices.function(0.0, seconds, memory("weekly-recheck"))?,
        format!("{seconds:.0} s of {} MB, {CONCURRENT} concurrent handshakes", memory("weekly-recheck")),
    );
    let (mut table, mut function, mut runs) = (0.0, 0.0, 0.0);
    for idle in &upkeep.schedules {
        let fired = MONTH / idle.every.as_secs_f64();
        runs += fired;
        table += prices.units(fired * idle.used.units.read, fired * idle.used.units.write);
        let seconds = fired * (idle.used.seconds + operation * idle.used.operations);
        function += prices.function(fired, seconds, memory(&idle.function))?;
    }
    row("schedules without work: the table", table, format!("{runs:.0} runs"));
    row("schedules without work: the functions", function, format!("{runs:.0} runs"));
    row(
        "schedules and bus: EventBridge",
        runs / 1e6 * prices.usd("scheduler_million_calls")?
            + rechecks * upkeep.events / 1e6 * prices.usd("bus_million_events")?,
        format!("{runs:.0} runs, {:.0} events", rechecks * upkeep.events),
    );
    report.info("total", format!("{all:>8.2}, {:.2} cents per 1,000 listings", all / LISTINGS * 1e5));
    Ok(())
}
