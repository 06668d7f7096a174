//! Sends a mix of requests at a fixed rate. The time of a request starts when the request should be sent. So if the
//! server stops for a moment, the delay counts for every waiting request, not only for one request per connection.

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

/// Maximum concurrent requests. A request without a free connection waits, and its time runs.
const CONNECTIONS: usize = 64;
/// Time limit of a request.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The measured requests of one target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    /// Milliseconds from the due time of each request to its reply.
    pub(crate) times: Vec<f64>,
    /// Requests without an expected reply.
    pub(crate) errors: usize,
    /// The first error.
    pub(crate) first_error: Option<String>,
}

impl Samples {
    /// The quantile (0 to 1) of request times, in milliseconds.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        quantile(&self.times, share)
    }

    /// Adds other samples.
    pub(crate) fn add(&mut self, other: &Self) {
        self.times.extend(&other.times);
        self.errors += other.errors;
        if self.first_error.is_none() {
            self.first_error.clone_from(&other.first_error);
        }
    }
}

/// Sends the mix, from request `first` on, at `rate` requests per second for `time`. Returns samples in the order of the
/// mix's targets.
///
/// # Errors
/// The address refuses connections at the start.
pub(crate) async fn run(
    mix: &Arc<Mix>,
    address: SocketAddr,
    rate: f64,
    first: usize,
    time: Duration,
) -> Result<Vec<Samples>, Failure> {
    let next = Arc::new(AtomicUsize::new(0));
    let began = Instant::now();
    let mut senders = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let mut connection = Some(Connection::open(address).await?);
        let (mix, next) = (Arc::clone(mix), Arc::clone(&next));
        senders.spawn(async move {
            let mut samples = vec![Samples::default(); mix.targets.len()];
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let due = began + Duration::from_secs_f64(number as f64 / rate);
                if due >= began + time {
                    return samples;
                }
                tokio::time::sleep_until(due).await;
                let (target, request) = mix.request(first + number);
                let error = send(&mut connection, address, request, mix.targets[target].status).await.err();
                let samples = &mut samples[target];
                samples.times.push(due.elapsed().as_secs_f64() * 1000.0);
                if let Some(error) = error {
                    connection = None;
                    samples.errors += 1;
                    samples.first_error.get_or_insert_with(|| error.to_string());
                }
            }
        });
    }
    let mut all = vec![Samples::default(); mix.targets.len()];
    while let Some(samples) = senders.join_next().await {
        for (all, samples) in all.iter_mut().zip(&samples?) {
            all.add(samples);
        }
    }
    Ok(all)
}

async fn send(
    connection: &mut Option<Connection>,
    address: SocketAddr,
    request: &[u8],
    expected: u16,
) -> Result<(), Failure> {
    let open = match connection {
        Some(open) => open,
        None => connection.insert(Connection::open(address).await?),
    };
    let answer = tokio::time::timeout(TIME_LIMIT, open.request(request)).await??;
    if answer.status == expected {
        return Ok(());
    }
    let (status, body) = (answer.status, String::from_utf8_lossy(answer.body));
    Err(registry::error::shorten(&format!("returned {status}: {body}"), 300).into())
}
