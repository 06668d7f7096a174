//! The number of first messages per UTC day. The table in `specification.md#outreach-budget` gives the base number, which
//! depends on the number of Live listings. A setting and the acceleration index scale it.

use crate::economy;
use crate::prelude::*;
use registry_store::{Live, StoreError};

#[derive(Clone, Debug)]
pub struct DayBudget {
    pub live: Live,
    /// Live listings.
    pub active: u32,
    /// First touches of this day.
    pub sent: u32,
    pub multiplier: f64,
    pub cap: u32,
}

impl DayBudget {
    pub async fn read(app: &App) -> Result<Self, StoreError> {
        let store = &app.store;
        let touches = store.touches_of_day(app.clock.now());
        let (live, sent, acceleration) =
            futures::try_join!(store.live(), touches, economy::acceleration(app))?;
        let (active, multiplier) = (live.agents + live.mcps, acceleration.multipliers().day_budget);
        Ok(Self { live, active, sent, multiplier, cap: day_cap(active, &app.settings, multiplier) })
    }

    /// First touches that are left.
    pub fn room(&self) -> u32 {
        self.cap.saturating_sub(self.sent)
    }
}

/// First touches of a day by the number of Active clean listings (`specification.md#outreach-budget`).
pub const fn base_cap(active: u32) -> u32 {
    match active {
        0 => 0,
        1..=49 => 12,
        50..=99 => 24,
        100..=199 => 40,
        200..=332 => 56,
        333.. => 48,
    }
}

/// `multiplier` comes from what the operator added to the acceleration index.
fn day_cap(active: u32, settings: &Settings, multiplier: f64) -> u32 {
    let cap = base_cap(active) * settings.outreach_budget_percent / 100;
    // Rounded down. The clamp repeats the bound of the multiplier (`economy::acceleration`).
    (f64::from(cap) * multiplier.clamp(1.0, 1.8)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn daily_cap_matches_the_specification_at_the_edges_of_each_row() {
        let active = [0, 1, 49, 50, 99, 100, 199, 200, 332, 333, u32::MAX];
        assert_eq!(active.map(base_cap), [0, 12, 12, 24, 24, 40, 40, 56, 56, 48, 48]);
    }
}
