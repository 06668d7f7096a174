//! Counting what costs somebody else something (design §5 Rates): by caller, by target host and for everybody together.

use crate::app::App;
use crate::error::Problem;
use crate::store::Allowance;

/// Counts an act that costs somebody else something, and refuses it where an allowance is used up.
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
