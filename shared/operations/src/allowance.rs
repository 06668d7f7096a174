//! Rate limits on acts that call somebody else or leave something in the table (design §5 Rates): by caller, by target
//! host and for all callers together. One function, so that all of them are counted the same way.

use registry_app::App;
use registry_model::error::Problem;
use registry_store::Allowance;

/// Counts such an act, and refuses it where an allowance is used up.
pub async fn count(app: &App, act: Allowance<'_>) -> Result<(), Problem> {
    if !app.settings.rate_limits {
        return Ok(());
    }
    app.store.count_act(act, app.clock.now()).await?.map_or(Ok(()), |used_up| Err(used_up.into()))
}
