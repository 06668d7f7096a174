//! How much a trace (a mark of a user) adds to the trail of a listing. The same source can add to the same listing only
//! once in a fixed interval. Otherwise one caller with a loop could make any listing the strongest.

use jiff::SignedDuration;
use registry_model::{Amounts, MarkKind, TrailEvent};

/// The time after which another endorsement of the same source adds something.
pub const ENDORSEMENT_INTERVAL: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The same time for a trace, and for a use together with the same listing.
pub const TRACE_INTERVAL: SignedDuration = SignedDuration::from_hours(24);

/// If two listings are used together, a small amount is also added to listings that were used with one of the two
/// before. This is the maximum number of such listings; the strongest pairs are chosen first.
pub const CONTAGION: usize = 8;

pub const DEFAULT_INTENSITY: u8 = 6;

/// The deposit of a trace is 6 plus half of its intensity. A warning adds it to danger, a wish adds it to demand, and
/// every other trace adds it to attraction.
pub fn trace_amounts(kind: MarkKind, intensity: u8) -> Amounts {
    let more = (f64::from(intensity) - f64::from(DEFAULT_INTENSITY)) * 0.5;
    let amount = TrailEvent::LeaveTrace.amounts().attraction + more;
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
    fn kind_and_intensity_of_a_mark_decide_its_effect_on_the_trail() {
        // 6 + 6 / 2, 6 + 50 / 2
        let of = trace_amounts;
        assert_eq!(of(MarkKind::Mark, DEFAULT_INTENSITY), Amounts { attraction: 9.0, ..Amounts::NONE });
        assert_eq!(of(MarkKind::Danger, 50), Amounts { danger: 31.0, ..Amounts::NONE });
        assert_eq!(of(MarkKind::Intent, 1), Amounts { demand: 6.5, ..Amounts::NONE });
    }
}
