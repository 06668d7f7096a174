//! Requests under load, in turns: a little of each target, then again from the start, so that whatever else the
//! machine does meets all of them alike and their ratios hold.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::client::Connection;
use crate::{Failure, machine};

/// Something that is asked again and again.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// What it is called in the table.
    pub(crate) name: &'static str,
    /// Where.
    pub(crate) address: SocketAddr,
    /// The process that answers.
    pub(crate) process: u32,
    /// The requests, sent one after another.
    pub(crate) requests: Arc<[Vec<u8>]>,
    /// The status of every answer.
    pub(crate) status: u16,
    /// Each request is sent only once; otherwise they are sent round and round.
    pub(crate) once: bool,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    /// The time of each request, in microseconds.
    times: Vec<f64>,
    elapsed: Duration,
    processor: Duration,
    bytes: usize,
}

impl Taken {
    /// The time below which this share (0 to 1) of the requests stayed, in milliseconds.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        quantile(&self.times, share) / 1000.0
    }

    /// Requests a second.
    pub(crate) fn rate(&self) -> f64 {
        self.times.len() as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Bytes of a body, on average.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.checked_div(self.times.len()).unwrap_or(0)
    }

    /// Milliseconds of the server's processors for a request.
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

/// The value below which this share (0 to 1) of `values` lies; 0 where there are none.
pub(crate) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    let at = (last as f64 * share).ceil() as usize;
    sorted.get(at.min(last)).copied().unwrap_or(0.0)
}

/// Asks every target over `connections` at once, in `turns` turns of `each`; what came, in the targets' order. A turn
/// more goes before, to warm up, and is not counted.
///
/// # Errors
/// A target answers something else than it should.
pub(crate) async fn in_turns(
    targets: &[Target],
    connections: usize,
    turns: usize,
    each: Duration,
) -> Result<Vec<Taken>, Failure> {
    let mut taken = vec![Taken::default(); targets.len()];
    let next: Vec<Arc<AtomicUsize>> = targets.iter().map(|_| Arc::default()).collect();
    for turn in 0..=turns {
        for (at, target) in targets.iter().enumerate() {
            let done = one_turn(target, connections, each, &next[at]).await?;
            if turn > 0 {
                taken[at].add(done);
            }
        }
    }
    Ok(taken)
}

async fn one_turn(
    target: &Target,
    connections: usize,
    each: Duration,
    next: &Arc<AtomicUsize>,
) -> Result<Taken, Failure> {
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(Connection::open(target.address).await?);
    }
    let busy = || machine::processor_time(target.process).unwrap_or_default();
    let (busy_before, began) = (busy(), Instant::now());
    let mut askers = JoinSet::new();
    for connection in open {
        askers.spawn(ask_until(connection, target.clone(), began + each, Arc::clone(next)));
    }
    let mut taken = Taken::default();
    while let Some(done) = askers.join_next().await {
        taken.add(done??);
    }
    taken.elapsed = began.elapsed();
    taken.processor = busy().saturating_sub(busy_before);
    Ok(taken)
}

async fn ask_until(
    mut connection: Connection,
    target: Target,
    end: Instant,
    next: Arc<AtomicUsize>,
) -> Result<Taken, Failure> {
    let mut taken = Taken::default();
    loop {
        let began = Instant::now();
        if began >= end {
            return Ok(taken);
        }
        let number = next.fetch_add(1, Ordering::Relaxed);
        let request = match target.requests.get(number) {
            Some(request) => request,
            None if target.once => return Ok(taken),
            None => &target.requests[number % target.requests.len()],
        };
        let answer = connection.ask(request).await?;
        taken.times.push(began.elapsed().as_secs_f64() * 1e6);
        taken.bytes += answer.body.len();
        if answer.status != target.status {
            let (status, body) = (answer.status, String::from_utf8_lossy(answer.body));
            return Err(format!("{} answered {status}: {body}", target.name).into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_were_measured() {
        let values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(
            (quantile(&values, 0.5), quantile(&values, 0.99), quantile(&values, 1.0)),
            (51.0, 100.0, 100.0)
        );
        assert_eq!((quantile(&[7.0], 0.95), quantile(&[], 0.95)), (7.0, 0.0));
    }

    #[tokio::test]
    async fn an_answer_that_should_not_be_ends_the_measurement() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(axum::serve(listener, axum::Router::new()).into_future());
        let target = |status| Target {
            name: "nothing",
            address,
            process: std::process::id(),
            requests: [crate::client::get("/", "")].into(),
            status,
            once: false,
        };
        let each = Duration::from_millis(30);
        assert!(in_turns(&[target(200)], 1, 1, each).await.is_err());
        let taken = in_turns(&[target(404)], 2, 2, each).await.unwrap();
        assert!(taken[0].rate() > 1.0 && taken[0].quantile(0.5) > 0.0);
    }
}
