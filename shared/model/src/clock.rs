//! The clock of an `App`: the system clock, or a manual clock for tests. Only [`Clock::advance`] moves a
//! manual clock, so that a test of a weekly rule does not take a week.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::Timestamp;

use crate::Moment;

#[derive(Clone, Debug, Default)]
pub enum Clock {
    #[default]
    System,
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stays at `at` until [`Clock::advance`] moves it.
    pub fn manual(at: Moment) -> Self {
        Self::Manual(Arc::new(AtomicI64::new(at.as_millisecond())))
    }

    pub fn now(&self) -> Moment {
        match self {
            Self::System => Timestamp::now().into(),
            Self::Manual(millis) => {
                Moment::from_millisecond(millis.load(Ordering::SeqCst)).unwrap_or(Moment::UNIX_EPOCH)
            }
        }
    }

    /// Moves a manual clock forward; has no effect on the system clock.
    pub fn advance(&self, by: Duration) {
        if let Self::Manual(millis) = self {
            let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
            millis.fetch_add(by, Ordering::SeqCst);
        }
    }
}
