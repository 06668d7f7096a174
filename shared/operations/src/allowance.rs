//! Rate limits on acts that send a request to another server or write to the table (design §5 Rates): by caller, by
//! target host and for all callers together.

use registry_app::App;
use registry_model::error::Problem;
use registry_store::Allowance;

/// Counts the act; an error if a limit is used up.
pub async fn count(app: &App, act: Allowance<'_>) -> Result<(), Problem> {
    if !app.settings.rate_limits {
        return Ok(());
    }
    app.store.count_act(act, app.clock.now()).await?.map_or(Ok(()), |used_up| Err(used_up.into()))
}
