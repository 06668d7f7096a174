//! How often one caller may ask: a bucket for each address in the memory of this process, so that nobody takes what
//! everybody shares and a refusal costs the table nothing. What is counted in the table stays counted there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use registry_model::error::Problem;
use registry_model::settings::RequestRate;
use registry_model::{Caller, CallerAddress, Clock, Moment};

/// Per generation, of which there are two; a caller needs some hundred bytes.
const CALLERS: usize = 10_000;

/// A token bucket per caller, in the memory of this process. Clones share the buckets.
#[derive(Clone, Debug)]
pub(super) struct CallerLimit {
    rate: RequestRate,
    clock: Clock,
    callers: Arc<Mutex<Generations>>,
}

/// When each caller's bucket is full again. When `young` is full it replaces `old`: memory is bounded, and a
/// caller that sends many requests is always remembered.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<String, Moment>,
    old: HashMap<String, Moment>,
}

impl Generations {
    fn full_again(&self, caller: &str) -> Option<Moment> {
        self.young.get(caller).or_else(|| self.old.get(caller)).copied()
    }

    fn keep(&mut self, caller: String, full_again: Moment) {
        if self.young.len() >= CALLERS && !self.young.contains_key(&caller) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(caller, full_again);
    }
}

impl CallerLimit {
    pub(super) fn new(rate: RequestRate, clock: Clock) -> Self {
        Self { rate, clock, callers: Arc::default() }
    }

    /// `Err` contains the seconds until the bucket has a token again.
    fn take(&self, caller: String) -> Result<(), u32> {
        let now = self.clock.now();
        let (one, whole) = (self.rate.interval(), self.rate.interval() * self.rate.burst());
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        // Never further ahead than an empty bucket, should the machine's clock be set back.
        let full_again = callers.full_again(&caller).unwrap_or(now).clamp(now, now + whole);
        let empty_by = full_again.duration_since(now) + one - whole;
        if empty_by.is_positive() {
            callers.keep(caller, full_again);
            let seconds = empty_by.as_millis().div_euclid(1000) + 1;
            return Err(u32::try_from(seconds).unwrap_or(u32::MAX));
        }
        callers.keep(caller, full_again + one);
        Ok(())
    }
}

/// A request without an address came through no gateway and is not counted.
pub(super) async fn limit(State(limit): State<CallerLimit>, request: Request, next: Next) -> Response {
    let address = request.extensions().get::<CallerAddress>().map(|address| address.0);
    let taken =
        address.map_or(Ok(()), |address| limit.take(Caller { address: Some(address), bearer: None }.name()));
    match taken {
        Ok(()) => next.run(request).await,
        Err(seconds) => Problem::too_many(
            format!(
                "More than {} requests a second from your address. Try again in {seconds} s, and ask no oftener.",
                limit.rate.per_second
            ),
            seconds,
        )
        .with("allowance", "caller")
        .into_response(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn limit(per_second: u32, at_once: u32) -> CallerLimit {
        CallerLimit::new(RequestRate { per_second, at_once }, Clock::manual(Moment::UNIX_EPOCH))
    }

    fn taken(limit: &CallerLimit, caller: &str, asked: u32) -> u32 {
        (0..asked).map(|_| u32::from(limit.take(caller.to_owned()).is_ok())).sum()
    }

    #[test]
    fn a_bucket_empties_and_fills_by_its_rate() {
        let limit = limit(4, 10);
        assert_eq!(taken(&limit, "a", 20), 10);
        assert_eq!(limit.take("a".to_owned()), Err(1));
        assert_eq!(taken(&limit, "b", 20), 10, "another caller has a bucket of its own");
        limit.clock.advance(Duration::from_millis(750));
        assert_eq!(taken(&limit, "a", 20), 3);
        limit.clock.advance(Duration::from_secs(3600));
        assert_eq!(taken(&limit, "a", 20), 10, "no more than a full one");
    }

    #[test]
    fn a_slow_rate_says_how_long_to_wait() {
        let limit = limit(1, 1);
        assert_eq!(taken(&limit, "a", 1), 1);
        let wait = limit.take("a".to_owned()).unwrap_err();
        limit.clock.advance(Duration::from_secs(wait.into()));
        assert_eq!(limit.take("a".to_owned()), Ok(()), "after the wait it was told");
    }

    #[test]
    fn memory_is_bounded_and_a_busy_caller_is_not_forgotten() {
        let limit = limit(1, 3);
        assert_eq!(taken(&limit, "busy", 3), 3);
        for stranger in 0..CALLERS * 3 {
            assert_eq!(limit.take(format!("stranger {stranger}")), Ok(()));
            if stranger % (CALLERS / 2) == 0 {
                assert!(limit.take("busy".to_owned()).is_err(), "after {stranger} others");
            }
        }
        let callers = limit.callers.lock().unwrap();
        assert!(callers.young.len() + callers.old.len() <= 2 * CALLERS);
    }
}
