//! Measures several targets under load. It sends requests to each target for a short time, and repeats this
//! in turn. So other work on the machine affects all targets equally, and their ratios stay valid.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::client::Connection;
use crate::{Failure, machine};

/// A target of requests.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// Its name in the report.
    pub(crate) name: &'static str,
    /// Its address.
    pub(crate) address: SocketAddr,
    /// The server process.
    pub(crate) process: u32,
    /// The requests, sent one after another.
    pub(crate) requests: Arc<[Vec<u8>]>,
    /// The expected status of every reply.
    pub(crate) status: u16,
    /// Sends each request only once; otherwise repeats the list.
    pub(crate) send_once: bool,
}

/// The measured requests of a target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    /// The time of each request, in microseconds.
    times: Vec<f64>,
    elapsed: Duration,
    processor: Duration,
    bytes: usize,
}

impl Samples {
    /// The quantile (0 to 1) of request times, in milliseconds.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        quantile(&self.times, share) / 1000.0
    }

    /// Requests per second.
    pub(crate) fn rate(&self) -> f64 {
        self.times.len() as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Average length of a body, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.checked_div(self.times.len()).unwrap_or(0)
    }

    /// Processor time of the server per request, in milliseconds.
    pub(crate) fn processor_ms(&self) -> f64 {
        self.processor.as_secs_f64() * 1000.0 / (self.times.len() as f64).max(1.0)
    }

    fn add(&mut self, other: Self) {
        self.times.extend(other.times);
        self.elapsed += other.elapsed;
        self.processor += other.processor;
        self.bytes += other.bytes;
    }
}

/// The quantile (0 to 1) of `values`; 0 if there are none.
pub(crate) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    let at = (last as f64 * share).ceil() as usize;
    sorted.get(at.min(last)).copied().unwrap_or(0.0)
}

/// Sends requests to every target over concurrent `connections`, in `turns` turns of `each`. Returns samples in the order of
/// the targets. The first, additional turn is a warm-up and is not counted.
///
/// # Errors
/// A target returns an unexpected status.
pub(crate) async fn in_turns(
    targets: &[Target],
    connections: usize,
    turns: usize,
    each: Duration,
) -> Result<Vec<Samples>, Failure> {
    let mut samples = vec![Samples::default(); targets.len()];
    let next: Vec<Arc<AtomicUsize>> = targets.iter().map(|_| Arc::default()).collect();
    for turn in 0..=turns {
        for (at, target) in targets.iter().enumerate() {
            let done = one_turn(target, connections, each, &next[at]).await?;
            if turn > 0 {
                samples[at].add(done);
            }
        }
    }
    Ok(samples)
}

async fn one_turn(
    target: &Target,
    connections: usize,
    each: Duration,
    next: &Arc<AtomicUsize>,
) -> Result<Samples, Failure> {
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(Connection::open(target.address).await?);
    }
    let busy = || machine::processor_time(target.process).unwrap_or_default();
    let (busy_before, began) = (busy(), Instant::now());
    let mut clients = JoinSet::new();
    for connection in open {
        clients.spawn(request_until(connection, target.clone(), began + each, Arc::clone(next)));
    }
    let mut samples = Samples::default();
    while let Some(done) = clients.join_next().await {
        samples.add(done??);
    }
    samples.elapsed = began.elapsed();
    samples.processor = busy().saturating_sub(busy_before);
    Ok(samples)
}

async fn request_until(
    mut connection: Connection,
    target: Target,
    end: Instant,
    next: Arc<AtomicUsize>,
) -> Result<Samples, Failure> {
    let mut samples = Samples::default();
    loop {
        let began = Instant::now();
        if began >= end {
            return Ok(samples);
        }
        let number = next.fetch_add(1, Ordering::Relaxed);
        let request = match target.requests.get(number) {
            Some(request) => request,
            None if target.send_once => return Ok(samples),
            None => &target.requests[number % target.requests.len()],
        };
        let answer = connection.request(request).await?;
        samples.times.push(began.elapsed().as_secs_f64() * 1e6);
        samples.bytes += answer.body.len();
        if answer.status != target.status {
            let (status, body) = (answer.status, String::from_utf8_lossy(answer.body));
            let body = registry::error::shorten(&body, 300);
            return Err(format!("{} returned {status}: {body}", target.name).into());
        }
    }
}
