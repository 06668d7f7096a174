//! The methods of both bindings (JSON-RPC and REST). The answer is written in the caller's A2A version.

use serde_json::value::to_raw_value;

use super::dialects::{Dialect, Method};
use super::fields::Fields;
use super::send::{PartsCache, send};
use super::{A2aError, about, tasks};
use crate::prelude::*;

pub(super) async fn call(
    app: &App,
    cache: &PartsCache,
    caller: Caller,
    method: Method,
    params: &Map<String, Value>,
) -> Result<Box<RawValue>, A2aError> {
    let params = Fields::of(params, "");
    match method {
        Method::Send(dialect) => send(app, cache, caller, params, dialect).await,
        Method::Get(dialect) => {
            let history_length = params.history_length()?;
            Ok(dialect.task(tasks::get(app, caller, params).await?, history_length)?)
        }
        Method::Cancel(dialect) => Ok(dialect.task(tasks::cancel(app, caller, params).await?, None)?),
        Method::List => Ok(to_raw_value(&tasks::list(app, caller, params).await?)?),
        Method::Help => Ok(to_raw_value(&about::help(&app.settings))?),
        Method::Stream | Method::Subscribe => Err(A2aError::no_streams()),
        Method::Push => Err(A2aError::no_push()),
        Method::ExtendedCard(dialect) => Err(A2aError::no_extended_card(dialect == Dialect::V1)),
    }
}
