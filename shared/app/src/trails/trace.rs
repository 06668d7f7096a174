//! How much a trace adds to a listing. The same source can add to a listing only once in a fixed interval;
//! otherwise one caller could make any listing the strongest with a loop.

use jiff::SignedDuration;

use registry_model::{Amounts, MarkKind, TrailEvent};

/// The time after which another endorsement of the same source adds something.
pub const ENDORSEMENT_INTERVAL: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The same for a trace, or a use together with the same listing.
pub const TRACE_INTERVAL: SignedDuration = SignedDuration::from_hours(24);

/// Listings that a use spreads to: those used with one of the two before, the strongest first.
pub const CONTAGION: usize = 8;

/// The deposit of a trace: 6 plus half its intensity, to danger for a warning, to demand for a wish, else to
/// attraction.
#[must_use]
pub fn trace_amounts(kind: MarkKind, intensity: u8) -> Amounts {
    let amount = TrailEvent::LeaveTrace.amounts().attraction + f64::from(intensity) * 0.5;
    match kind {
        MarkKind::Danger => Amounts { danger: amount, ..Amounts::NONE },
        MarkKind::Intent => Amounts { demand: amount, ..Amounts::NONE },
        MarkKind::Mark | MarkKind::Endorse | MarkKind::Note => {
            Amounts { attraction: amount, ..Amounts::NONE }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_and_intensity_decide_the_deposit() {
        // 6 + 6 / 2, 6 + 50 / 2
        let of = trace_amounts;
        assert_eq!(of(MarkKind::Mark, 6), Amounts { attraction: 9.0, ..Amounts::NONE });
        assert_eq!(of(MarkKind::Danger, 50), Amounts { danger: 31.0, ..Amounts::NONE });
        assert_eq!(of(MarkKind::Intent, 1), Amounts { demand: 6.5, ..Amounts::NONE });
    }
}
