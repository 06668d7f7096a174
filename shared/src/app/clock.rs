//! The clock an `App` reads, in whole milliseconds, so that stored and rendered times are one and the same.
//! A manual clock stands still until it is moved: a test of a weekly rule takes no week.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::Timestamp;

/// Where the time of day comes from.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    System,
    /// Milliseconds since the epoch, moved by hand.
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stands at `at` until [`Clock::advance`] moves it.
    #[must_use]
    pub fn manual(at: Timestamp) -> Self {
        Self::Manual(Arc::new(AtomicI64::new(at.as_millisecond())))
    }

    /// The present, cut to milliseconds.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let millis = match self {
            Self::System => Timestamp::now().as_millisecond(),
            Self::Manual(millis) => millis.load(Ordering::SeqCst),
        };
        Timestamp::from_millisecond(millis).unwrap_or(Timestamp::MAX)
    }

    /// Moves a manual clock forward; the machine's clock cannot be moved and stays as it is.
    pub fn advance(&self, by: Duration) {
        if let Self::Manual(millis) = self {
            let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
            millis.fetch_add(by, Ordering::SeqCst);
        }
    }
}
