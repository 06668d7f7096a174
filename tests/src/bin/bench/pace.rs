//! A mix of requests at a fixed rate: each has a moment at which it is due, and its time is taken from there. A server
//! that stalls is so charged with all that waited, as callers would be, and not with one slow answer for each connection.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::Failure;
use crate::client::Connection;
use crate::load::quantile;
use crate::mix::Mix;

/// Requests under way at most; one that finds no free connection waits for it, and its time runs.
const CONNECTIONS: usize = 64;
/// After this a request is given up on.
const PATIENCE: Duration = Duration::from_secs(10);

/// What came of one kind of request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    /// Milliseconds from when each was due until its answer was there.
    pub(crate) times: Vec<f64>,
    /// How many had no answer, or not the one they should have.
    pub(crate) errors: usize,
    /// The first of these, in words.
    pub(crate) first_error: Option<String>,
}

impl Taken {
    /// The time below which this share (0 to 1) of the requests stayed, in milliseconds.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        quantile(&self.times, share)
    }

    /// Counts another's requests here, too.
    pub(crate) fn add(&mut self, other: &Self) {
        self.times.extend(&other.times);
        self.errors += other.errors;
        if self.first_error.is_none() {
            self.first_error.clone_from(&other.first_error);
        }
    }
}

/// Sends the mix from its request `first` on at `rate` requests a second for so long. What came, in the order of the
/// mix's kinds.
///
/// # Errors
/// Nobody listens there at the start.
pub(crate) async fn run(
    mix: &Arc<Mix>,
    address: SocketAddr,
    rate: f64,
    first: usize,
    time: Duration,
) -> Result<Vec<Taken>, Failure> {
    let next = Arc::new(AtomicUsize::new(0));
    let began = Instant::now();
    let mut senders = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let mut connection = Some(Connection::open(address).await?);
        let (mix, next) = (Arc::clone(mix), Arc::clone(&next));
        senders.spawn(async move {
            let mut taken = vec![Taken::default(); mix.kinds.len()];
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let due = began + Duration::from_secs_f64(number as f64 / rate);
                if due >= began + time {
                    return taken;
                }
                tokio::time::sleep_until(due).await;
                let (kind, request) = mix.request(first + number);
                let error = send(&mut connection, address, &mix, kind, &request).await.err();
                let taken = &mut taken[kind];
                taken.times.push(due.elapsed().as_secs_f64() * 1000.0);
                if let Some(error) = error {
                    connection = None;
                    taken.errors += 1;
                    taken.first_error.get_or_insert_with(|| error.to_string());
                }
            }
        });
    }
    let mut all = vec![Taken::default(); mix.kinds.len()];
    while let Some(taken) = senders.join_next().await {
        for (all, taken) in all.iter_mut().zip(&taken?) {
            all.add(taken);
        }
    }
    Ok(all)
}

async fn send(
    connection: &mut Option<Connection>,
    address: SocketAddr,
    mix: &Mix,
    kind: usize,
    request: &[u8],
) -> Result<(), Failure> {
    let open = match connection {
        Some(open) => open,
        None => connection.insert(Connection::open(address).await?),
    };
    let answer = tokio::time::timeout(PATIENCE, open.ask(request)).await??;
    if mix.kinds[kind].is_sound(&answer) {
        return Ok(());
    }
    let (status, body) = (answer.status, String::from_utf8_lossy(answer.body));
    Err(registry::error::shorten(&format!("answered {status}: {body}"), 300).into())
}
