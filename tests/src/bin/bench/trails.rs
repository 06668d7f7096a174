//! One listing with ten thousand marks and a thousand compositions: how fast its traces are sensed and trails followed, in
//! the process and without a network.

use std::time::Instant;

use registry::app::App;
use registry::model::{ListingId, MarkKind, Moment, TrailEvent, TrailMark};
use registry::operations::{self, RawArguments};
use registry::store::{Deposit, NewTrace, Store, TraceOutcome, UsedWith};
use serde_json::{Value, json};

use crate::Failure;
use crate::load::quantile;
use crate::report::Report;

/// Marks at the listing, those of its compositions among them.
const MARKS: usize = 10_000;
const PAIRS: usize = 999;
/// Batches in which each is asked, in turn with the others, and how often in one. The batch that was disturbed least counts:
/// what a shared machine does beside it only adds.
const BATCHES: usize = 5;
const ROUNDS: usize = 40;
/// Milliseconds that half of the answers may take.
const P50: f64 = 5.0;

/// Leaves the marks and the compositions at the first of some listings.
///
/// # Errors
/// The table refuses.
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
            return Err(format!("a mark was not left: {outcome:?}").into());
        }
    }
    Ok(centre.clone())
}

/// Times the reads.
///
/// # Errors
/// The registry answers what it should not.
pub(crate) async fn measure(report: &mut Report, app: &App, centre: &ListingId) -> Result<(), Failure> {
    let told = format!("at {MARKS} marks and {PAIRS} compositions, in the process, p50");
    let questions = [
        ("sense_traces", json!({ "listing_id": centre })),
        ("follow_trail", json!({ "kind": "hot" })),
        ("follow_trail", json!({ "kind": "composition" })),
    ];
    let mut least = [f64::MAX; 3];
    for _ in 0..BATCHES {
        for ((name, arguments), least) in questions.iter().zip(&mut least) {
            *least = batch(app, name, arguments).await?.min(*least);
        }
    }
    for ((name, arguments), p50) in questions.iter().zip(least) {
        let kind = arguments["kind"].as_str().unwrap_or("a listing");
        report.below(format!("{name} of {kind} {told}"), p50, P50, "ms");
    }
    Ok(())
}

/// The milliseconds that half of the answers of a batch took at most.
async fn batch(app: &App, name: &str, arguments: &Value) -> Result<f64, Failure> {
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        ask(app, name, arguments.clone()).await?;
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(quantile(&times, 0.5))
}

async fn ask(app: &App, name: &str, arguments: Value) -> Result<Value, Failure> {
    let operation = operations::named(name).ok_or("there is no such operation")?;
    let answer =
        (operation.run)(app.clone(), registry::model::Caller::default(), RawArguments::Json(arguments));
    answer.await.map_err(|problem| format!("{name}: {problem:?}").into())
}
