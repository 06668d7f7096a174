//! How many first touches a UTC day may have: the contract's table by the number of Live listings, scaled by a setting and
//! by the acceleration index. The table is kept whole, because a day's cap is shown beside the scaled one.

use registry_model::settings::Settings;

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

/// `multiplier` comes from the acceleration index.
#[must_use]
pub fn day_cap(active: u32, settings: &Settings, multiplier: f64) -> u32 {
    let cap = base_cap(active) * settings.outreach_budget_percent / 100;
    // Cut: a part of a touch is none. The bound is that of the multiplier (`economy::multipliers`), kept here, too.
    (f64::from(cap) * multiplier.clamp(1.0, 1.8)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::settings::Mode;

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
            assert_eq!([10, 250].map(|active| day_cap(active, &percent(value), 1.0)), caps, "{value} %");
        }
    }

    #[test]
    fn acceleration_scales_it_up_to_its_bound() {
        let usual = Settings::from_env(Mode::Public, |_| None).unwrap();
        // 12 * 1.25 = 15; 12 * 1.8 = 21.6; 56 * 1.25 = 70; 56 * 1.8 = 100.8.
        for (multiplier, caps) in
            [(0.5, [12, 56]), (1.0, [12, 56]), (1.25, [15, 70]), (1.8, [21, 100]), (3.0, [21, 100])]
        {
            assert_eq!([10, 250].map(|active| day_cap(active, &usual, multiplier)), caps, "{multiplier}");
        }
        assert_eq!(day_cap(0, &usual, 1.8), 0);
    }
}
