//! `make cost`: what a million requests of each operation cost, and a month of 100,000 Live listings that nobody asks for:
//! measured units and bytes times prices that are settings.

use registry::economy::cost_model;
use registry::settings::{Mode, Settings};
use tests::template::Template;

use crate::Failure;
use crate::prices::PriceList;
use crate::report::Report;
use crate::upkeep::{self, Upkeep};

/// Live listings of the month that is reckoned.
const LISTINGS: f64 = 100_000.0;
const MONTH: f64 = 30.4375 * 24.0 * 3600.0;
/// Weekly proofs that are kept: those of ninety days.
const PROOFS_KEPT: f64 = 90.0 / 7.0;
const BYTES_OF_A_GIGABYTE: f64 = 1_073_741_824.0;
/// Handshakes that a recheck makes at once.
const AT_ONCE: f64 = 64.0;

/// Tells what it costs.
///
/// # Errors
/// Prices cannot be read, or the upkeep cannot be measured.
pub(crate) async fn tell(report: &mut Report) -> Result<(), Failure> {
    let settings = Settings::from_env(Mode::Development, |name| std::env::var(name).ok())?;
    let prices = PriceList::read(settings.prices)?;
    of_requests(report, &prices)?;
    let upkeep = upkeep::measure().await?;
    of_a_month(report, &prices, &upkeep, settings.recheck_interval().as_secs_f64())?;
    report.note(
        "Left out: free tiers and taxes, bytes sent to callers, logs and alarms, the start of a function. A call is \
         billed as if its table operations came one after another.",
    );
    Ok(())
}

fn of_requests(report: &mut Report, prices: &PriceList) -> Result<(), Failure> {
    report.part(format!("A million requests of each operation, in USD ({})", prices.of()));
    let template = Template::read()?;
    let memory = most_memory(&template);
    let (operation, own) = (prices.seconds("table_operation_ms")?, prices.seconds("function_own_ms")?);
    let mut rows = Vec::new();
    for cost in cost_model::measured()? {
        let table = prices.units(cost.read_units, cost.write_units) * 1e6;
        let gateway = prices.request() * 1e6;
        let seconds = own + operation * cost.table_operations as f64;
        let function = prices.function(1.0, seconds, memory)? * 1e6;
        let refused = cost.refused.as_ref().map_or("", |_| ", refused");
        let told = format!(
            "{:>6.2}: table {table:.2} ({} r, {} w), API {gateway:.2}, function {function:.2}{refused}",
            table + gateway + function,
            cost.read_units,
            cost.write_units
        );
        rows.push((table + gateway + function, cost.operation, told));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, name, told) in rows {
        report.told(name, told);
    }
    Ok(())
}

/// MB of the largest function behind the API.
fn most_memory(template: &Template) -> f64 {
    let usual = template.common()["MemorySize"].as_f64().unwrap_or_default();
    let functions = template.functions();
    let of = |name: &str| functions.get(name).and_then(|function| function["MemorySize"].as_f64());
    template.events("HttpApi").into_iter().filter_map(|(name, _)| of(name)).fold(usual, f64::max)
}

fn of_a_month(
    report: &mut Report,
    prices: &PriceList,
    upkeep: &Upkeep,
    recheck_interval: f64,
) -> Result<(), Failure> {
    report.part(format!("A month of {LISTINGS} Live listings, in USD ({})", prices.of()));
    let template = Template::read()?;
    let functions = template.functions();
    let memory = |name: &str| {
        let own = functions.get(name).and_then(|function| function["MemorySize"].as_f64());
        own.or_else(|| template.common()["MemorySize"].as_f64()).unwrap_or_default()
    };
    let gigabytes = LISTINGS * (upkeep.bytes + PROOFS_KEPT * upkeep.bytes_of_recheck) / BYTES_OF_A_GIGABYTE;
    let rechecks = LISTINGS * MONTH / recheck_interval;
    let operation = prices.seconds("table_operation_ms")?;
    let mut all = 0.0;
    let mut row = |name: &str, usd: f64, of: String| {
        all += usd;
        report.told(name, format!("{usd:>8.2}: {of}"));
    };
    row(
        "storage, and its backup to any second",
        gigabytes * (prices.usd("table_gb_month")? + prices.usd("backup_gb_month")?),
        format!(
            "{gigabytes:.2} GB: {:.0} B a listing, {:.0} B a proof",
            upkeep.bytes, upkeep.bytes_of_recheck
        ),
    );
    let units = upkeep.recheck.units;
    row(
        "weekly proofs: the table",
        prices.units(rechecks * units.read, rechecks * units.write),
        format!("{rechecks:.0} proofs of {:.1} r and {:.1} w", units.read, units.write),
    );
    // Whoever waits for peers waits for many at once.
    let seconds =
        rechecks * (prices.seconds("handshake_ms")? + operation * upkeep.recheck.operations) / AT_ONCE;
    row(
        "weekly proofs: the function",
        prices.function(0.0, seconds, memory("weekly-recheck"))?,
        format!("{seconds:.0} s of {} MB, {AT_ONCE} handshakes at once", memory("weekly-recheck")),
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
    report.told("together", format!("{all:>8.2}, {:.2} cents a thousand listings", all / LISTINGS * 1e5));
    Ok(())
}
