//! Measures `sense_traces` and `follow_trail` for one listing with 10,000 marks and 200 compositions (pairs
//! of listings that were used together). Both run in this process, without a network.

use std::time::Instant;

use registry::app::App;
use registry::model::{ListingId, MarkKind, Moment, TrailEvent, TrailMark};
use registry::operations::{self, RawArguments};
use registry::store::{Deposit, NewTrace, Store, TraceOutcome, UsedWith};
use serde_json::{Value, json};

use crate::Failure;
use crate::load::quantile;
use crate::report::Report;

/// Marks of the listing, including those of its compositions.
const MARKS: usize = 10_000;
const PAIRS: usize = 200;
/// Batches per operation, in turns, and calls per batch. The fastest batch counts, because other work on a shared machine can
/// only increase times.
const BATCHES: usize = 5;
const ROUNDS: usize = 40;
/// Limit for the median, in milliseconds.
const P50: f64 = 5.0;

/// Writes the marks and the compositions of the first listing.
///
/// # Errors
/// The table returns an error.
pub(crate) async fn fill(
    store: &Store,
    app: &App,
    ids: &[ListingId],
    now: Moment,
) -> Result<ListingId, Failure> {
    let (centre, others) = ids.split_first().ok_or("nothing was seeded")?;
    for number in 0..MARKS {
        let with = others.get(number).filter(|_| number < PAIRS);
        let mark = TrailMark {
            id: TrailMark::new_id(&app.random),
            kind: MarkKind::Mark,
            listing_id: centre.clone(),
            listing_b: with.cloned(),
            from: "bench".to_owned(),
            body: format!("Mark {number}: answered within a second, and correctly."),
            intensity: 6,
            at: now,
            tags: Vec::new(),
        };
        let deposit = Deposit { with_mark: true, ..Deposit::of(centre, TrailEvent::LeaveTrace) };
        let trace = NewTrace {
            mark: &mark,
            deposits: &[deposit],
            source: None,
            used_with: with.map(|with| UsedWith { with, by: 4.0, known: None }),
            act: None,
        };
        let outcome = store.leave_trace(&trace, now).await?;
        if outcome != TraceOutcome::Left {
            return Err(format!("a mark was not written: {outcome:?}").into());
        }
    }
    Ok(centre.clone())
}

/// Times the reads.
///
/// # Errors
/// An operation fails.
pub(crate) async fn measure(report: &mut Report, app: &App, centre: &ListingId) -> Result<(), Failure> {
    let text = format!("with {MARKS} marks and {PAIRS} compositions, in the process, p50");
    let calls = [
        ("sense_traces", json!({ "listing_id": centre })),
        ("follow_trail", json!({ "kind": "hot" })),
        ("follow_trail", json!({ "kind": "composition" })),
    ];
    let mut fastest = [f64::MAX; 3];
    for _ in 0..BATCHES {
        for ((name, arguments), fastest) in calls.iter().zip(&mut fastest) {
            *fastest = batch(app, name, arguments).await?.min(*fastest);
        }
    }
    for ((name, arguments), p50) in calls.iter().zip(fastest) {
        let kind = arguments["kind"].as_str().unwrap_or("a listing");
        report.below(format!("{name} of {kind} {text}"), p50, P50, "ms");
    }
    Ok(())
}

/// The median time of a batch, in milliseconds.
async fn batch(app: &App, name: &str, arguments: &Value) -> Result<f64, Failure> {
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        call(app, name, arguments.clone()).await?;
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(quantile(&times, 0.5))
}

async fn call(app: &App, name: &str, arguments: Value) -> Result<Value, Failure> {
    let operation = operations::named(name).ok_or("unknown operation")?;
    let answer =
        operation.run(app.clone(), registry::model::Caller::default(), RawArguments::Json(arguments));
    answer.await.map_err(|problem| format!("{name}: {problem:?}").into())
}
