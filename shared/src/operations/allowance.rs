//! Rate limits on acts that call somebody else or leave something in the table (design §5 Rates): by caller, by target
//! host and for all callers together. One function, so that all of them are counted the same way.

use crate::app::App;
use crate::error::Problem;
use crate::store::{Allowance, UsedUp};

/// Counts such an act, and refuses it where an allowance is used up.
pub(crate) async fn count(app: &App, act: Allowance<'_>) -> Result<(), Problem> {
    if !app.settings.rate_limits {
        return Ok(());
    }
    app.store.count_act(act, app.clock.now()).await?.map_or(Ok(()), |used_up| Err(refusal(used_up, "host")))
}

/// What is said to a caller where an allowance is used up; `target` is what the sort of act is aimed at.
pub(crate) fn refusal(UsedUp { whose, wait }: UsedUp, target: &'static str) -> Problem {
    let (whose, of) = match whose {
        "host" => (target, format!("for this {target}")),
        "everybody" => (whose, "for everybody together".to_owned()),
        _ => (whose, "from your address".to_owned()),
    };
    Problem::too_many(
        format!("Too many requests of this sort {of} within the hour. Try again in {wait} s."),
        wait,
    )
    .with("allowance", whose)
}
