//! What a trace deposits: by its kind and its intensity. One source adds to a listing once in a while, because a loop of
//! one caller would else make any listing the hottest.

use jiff::SignedDuration;

use registry_model::{Amounts, MarkKind, TrailEvent};

/// An endorsement of the same source adds something again after this.
pub const ENDORSED_ANEW_AFTER: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A trace, or a use together with the same listing, of the same source adds something again after this.
pub const TRACED_ANEW_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// Listings that a use spreads to: those that were used with one of the two before, the strongest first.
pub const CONTAGION: usize = 8;

/// What a trace deposits: 6 and half its intensity. A warning adds to danger and a wish to demand; all else attracts.
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
    fn a_trace_deposits_by_its_kind_and_intensity() {
        // 6 + 6 / 2, 6 + 50 / 2
        let of = trace_amounts;
        assert_eq!(of(MarkKind::Mark, 6), Amounts { attraction: 9.0, ..Amounts::NONE });
        assert_eq!(of(MarkKind::Danger, 50), Amounts { danger: 31.0, ..Amounts::NONE });
        assert_eq!(of(MarkKind::Intent, 1), Amounts { demand: 6.5, ..Amounts::NONE });
    }
}
