//! The rate limit per address, counted in the memory of this process. So a rejected request costs no table
//! access. The limits of single actions, such as publishing, are counted in the table.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use axum::extract::Request;
use axum::middleware::Next;

use crate::prelude::*;
use registry_model::{CallerAddress, Clock};
use registry_settings::RequestRate;

/// Per generation, of which there are two; a caller needs some hundred bytes.
const MAX_CALLERS: usize = 10_000;

/// A token bucket per caller, in the memory of this process. Clones share the buckets.
#[derive(Clone, Debug)]
pub struct CallerLimit {
    rate: RequestRate,
    clock: Clock,
    callers: Arc<Mutex<Generations>>,
}

/// When each caller's bucket is full again. When `current` is full it replaces `old`: memory is bounded, and a
/// caller that sends many requests is always remembered.
#[derive(Debug, Default)]
struct Generations {
    current: HashMap<String, Moment>,
    previous: HashMap<String, Moment>,
}

impl Generations {
    fn full_again(&self, caller: &str) -> Option<Moment> {
        self.current.get(caller).or_else(|| self.previous.get(caller)).copied()
    }

    fn insert(&mut self, caller: String, full_again: Moment) {
        if self.current.len() >= MAX_CALLERS && !self.current.contains_key(&caller) {
            self.previous = std::mem::take(&mut self.current);
        }
        self.current.insert(caller, full_again);
    }
}

impl CallerLimit {
    pub fn new(rate: RequestRate, clock: Clock) -> Self {
        Self { rate, clock, callers: Arc::default() }
    }

    /// Takes a token of a caller, and returns how many are left. Error: 429 if the bucket is empty.
    pub fn check(&self, address: IpAddr) -> Result<u32, Problem> {
        let name = Caller { address: Some(address), bearer: None }.name();
        self.take(name).map_err(|seconds| {
            let detail = format!(
                "Rate limit exceeded: your address sent more than {} per second. Send the request \
                 again after {seconds} s.",
                counted(self.rate.per_second, "request")
            );
            Problem::too_many(detail, seconds).with("allowance", "caller")
        })
    }

    /// `Err` contains the seconds until the bucket has a token again.
    fn take(&self, caller: String) -> Result<u32, u32> {
        let now = self.clock.now();
        let (one, whole) = (self.rate.interval(), self.rate.interval() * self.rate.burst());
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        // At most as late as for an empty bucket, in case the clock was set back.
        let full_again = callers.full_again(&caller).unwrap_or(now).clamp(now, now + whole);
        let empty_by = full_again.duration_since(now) + one - whole;
        if empty_by.is_positive() {
            callers.insert(caller, full_again);
            let seconds = empty_by.as_millis().div_euclid(1000) + 1;
            return Err(u32::try_from(seconds).unwrap_or(u32::MAX));
        }
        callers.insert(caller, full_again + one);
        Ok(u32::try_from((-empty_by).as_nanos() / one.as_nanos().max(1)).unwrap_or(0))
    }

    /// The fields of the IETF draft `ratelimit-headers`: the policy, and what is left of it.
    fn add_fields(&self, headers: &mut HeaderMap, remaining: u32) {
        let burst = self.rate.burst();
        let window = ((self.rate.interval() * burst).as_millis() + 999).div_euclid(1000);
        let fields = [
            ("ratelimit-policy", format!("\"caller\";q={burst};w={window}")),
            ("ratelimit", format!("\"caller\";r={};t=1", remaining)),
        ];
        for (name, value) in fields {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
    }
}

/// The bucket of the caller of a request. The middleware adds it to the request, so that a function can count a request
/// that contains several messages more than once.
#[derive(Clone, Debug)]
pub struct CallerBucket {
    limit: CallerLimit,
    address: IpAddr,
}

impl CallerBucket {
    /// Takes one token.
    ///
    /// # Errors
    /// 429 where the bucket is empty.
    pub fn take(&self) -> Result<(), Problem> {
        self.limit.check(self.address).map(|_| ())
    }
}

/// A request without an address came through no gateway and is not counted.
pub(super) async fn limit(State(limit): State<CallerLimit>, mut request: Request, next: Next) -> Response {
    let Some(CallerAddress(address)) = request.extensions().get().copied() else {
        return next.run(request).await;
    };
    let (remaining, mut response) = match limit.check(address) {
        Ok(remaining) => {
            request.extensions_mut().insert(CallerBucket { limit: limit.clone(), address });
            (remaining, next.run(request).await)
        }
        Err(problem) => (0, Refused(problem).into_response()),
    };
    limit.add_fields(response.headers_mut(), remaining);
    response
}

#[cfg(test)]
mod tests;
