//! A request rate that concurrent requests share. A registry that asks for a wait pauses all of them at once, since
//! each further request would only lengthen the wait.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

#[derive(Debug)]
pub(super) struct RateLimiter {
    interval: Duration,
    next: Mutex<Instant>,
}

impl RateLimiter {
    pub(super) fn new(interval: Duration) -> Self {
        Self { interval, next: Mutex::new(Instant::now()) }
    }

    /// It tries again after each wait, since a pause may have been set meanwhile.
    pub(super) async fn acquire(&self) {
        while let Some(moment) = self.try_acquire() {
            sleep_until(moment).await;
        }
    }

    /// `None` when acquired, otherwise the moment of the next try.
    fn try_acquire(&self) -> Option<Instant> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if *next > now {
            return Some(*next);
        }
        *next = now + self.interval;
        None
    }

    /// Returns false if about the same pause was set before, so that it is reported once.
    pub(super) fn pause_until(&self, moment: Instant) -> bool {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let news = moment > *next + Duration::from_secs(1).max(self.interval);
        *next = moment.max(*next);
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn concurrent_requests_share_one_rate_and_one_pause() {
        let rate_limiter = RateLimiter::new(Duration::from_millis(200));
        let start = Instant::now();
        futures::future::join_all((0..6).map(|_| rate_limiter.acquire())).await;
        assert_eq!(start.elapsed().as_millis() / 100, 10, "{:?}", start.elapsed());
        assert!(rate_limiter.pause_until(Instant::now() + Duration::from_secs(30)));
        assert!(!rate_limiter.pause_until(Instant::now() + Duration::from_secs(30)), "nothing new was said");
        rate_limiter.acquire().await;
        assert!(start.elapsed() >= Duration::from_secs(31), "{:?}", start.elapsed());
    }
}
