//! The clock an `App` reads, so that no rule depends on the machine's time of day unseen.
//! A manual clock stands still until it is moved: a test of a weekly rule takes no week.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::Timestamp;

use crate::Moment;

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
    pub fn manual(at: Moment) -> Self {
        Self::Manual(Arc::new(AtomicI64::new(at.as_millisecond())))
    }

    /// The present.
    #[must_use]
    pub fn now(&self) -> Moment {
        match self {
            Self::System => Timestamp::now().into(),
            Self::Manual(millis) => {
                Moment::from_millisecond(millis.load(Ordering::SeqCst)).unwrap_or(Moment::UNIX_EPOCH)
            }
        }
    }

    /// Moves a manual clock forward; the machine's clock cannot be moved and stays as it is.
    pub fn advance(&self, by: Duration) {
        if let Self::Manual(millis) = self {
            let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
            millis.fetch_add(by, Ordering::SeqCst);
        }
    }
}
