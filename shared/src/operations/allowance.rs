//! Rate limits on actions that make this registry call somebody else (design §5 Rates): by caller, by target host and
//! for all callers together. One function, so that publishing and scoring are counted the same way.

use crate::app::App;
use crate::error::Problem;
use crate::store::Allowance;

/// Counts such an action, and refuses it where an allowance is used up.
pub(super) async fn count(app: &App, act: Allowance<'_>) -> Result<(), Problem> {
    if !app.settings.rate_limits {
        return Ok(());
    }
    match app.store.count_act(act, app.clock.now()).await? {
        None => Ok(()),
        Some((whose, wait)) => {
            let of = match whose {
                "host" => "for this host",
                "everybody" => "for everybody together",
                _ => "from your address",
            };
            Err(Problem::too_many(
                format!("Too many requests of this sort {of} within the hour. Try again in {wait} s."),
                wait,
            )
            .with("allowance", whose))
        }
    }
}
