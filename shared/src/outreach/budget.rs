//! How many first touches a UTC day may have: the contract's table by the number of Live listings, scaled by a setting.
//! The table is kept whole, because a day's cap is shown beside the scaled one.

use crate::settings::Settings;

/// First touches of a day by the number of Active clean listings (contract "Limits").
#[must_use]
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

/// The same as this registry uses it.
#[must_use]
pub fn day_cap(active: u32, settings: &Settings) -> u32 {
    base_cap(active) * settings.outreach_budget_percent / 100
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Mode;

    #[test]
    fn the_table_is_the_contracts_to_its_edges() {
        let table = [
            (0, 0),
            (1, 12),
            (49, 12),
            (50, 24),
            (99, 24),
            (100, 40),
            (199, 40),
            (200, 56),
            (332, 56),
            (333, 48),
            (u32::MAX, 48),
        ];
        for (active, cap) in table {
            assert_eq!(base_cap(active), cap, "{active} active");
        }
    }

    #[test]
    fn the_setting_scales_it() {
        let percent = |value: &'static str| {
            let lookup = move |name: &str| (name == "OUTREACH_BUDGET_PERCENT").then(|| value.to_owned());
            Settings::from_env(Mode::Public, lookup).unwrap()
        };
        for (value, caps) in [("0", [0, 0]), ("50", [6, 28]), ("100", [12, 56]), ("150", [18, 84])] {
            assert_eq!([10, 250].map(|active| day_cap(active, &percent(value))), caps, "{value} %");
        }
    }
}
