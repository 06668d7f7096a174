//! A replica of the table that lags behind it. DynamoDB answers queries of indexes and eventually consistent
//! reads from replicas; a local engine has none and is always up to date. The replica contains a write of a function only
//! after the clock has moved or after [`Lag::settle`]. It contains the writes of a test itself at once.

use std::sync::{Arc, Mutex};

use aws_smithy_runtime_api::client::http::HttpConnectorFuture;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use local::engine::{Embedded, json_response};
use registry::model::{Clock, Moment};

use super::rights;
use crate::peers::locked;

/// The replica; clones share it. There is none before [`Lag::start`].
#[derive(Clone, Debug, Default)]
pub struct Lag(Arc<Mutex<Option<Replica>>>);

#[derive(Debug)]
struct Replica {
    table: Embedded,
    engine: Embedded,
    clock: Clock,
    /// The writes that the replica does not contain yet.
    pending: Vec<Write>,
}

#[derive(Debug)]
struct Write {
    at: Moment,
    operation: String,
    body: Vec<u8>,
}

impl Lag {
    /// From now on, `replica`, a copy of `table`, answers eventually consistent reads.
    pub fn start(&self, table: Embedded, replica: Embedded, clock: Clock) {
        *locked(&self.0) = Some(Replica { table, engine: replica, clock, pending: Vec::new() });
    }

    /// Brings the replica up to date, as some time without writes does.
    pub fn settle(&self) {
        self.catch_up(|_| true);
    }

    /// Deletes expired items of the replica, whose own writes do not do this.
    pub fn sweep_expired(&self) {
        self.settle();
        if let Some(replica) = &*locked(&self.0)
            && let Err(error) = replica.engine.sweep_expired()
        {
            eprintln!("expired items of the replica were not removed: {error}");
        }
    }

    pub(super) fn is_on(&self) -> bool {
        locked(&self.0).is_some()
    }

    /// The replica, if it answers this request.
    pub(super) fn answers(&self, operation: &str, request: &HttpRequest) -> Option<Embedded> {
        if !self.is_on() || !is_eventual(operation, request.body().bytes().unwrap_or_default()) {
            return None;
        }
        let now = locked(&self.0).as_ref()?.clock.now();
        self.catch_up(|write| write.at < now);
        locked(&self.0).as_ref().map(|replica| replica.engine.clone())
    }

    /// Performs a write at the table now, and at the replica later. One write at a time, so that both have the same order.
    pub(super) fn write(&self, operation: String, request: &HttpRequest) -> HttpConnectorFuture {
        let (lag, is_of_function) = (self.clone(), rights::is_function());
        let body = request.body().bytes().unwrap_or_default().to_vec();
        HttpConnectorFuture::new(async move {
            tokio::task::yield_now().await;
            let mut replica = locked(&lag.0);
            let Some(Replica { table, clock, pending, .. }) = &mut *replica else {
                return Err(super::fault::timeout());
            };
            let (status, answer) = table.answer(&operation, &body);
            if status == 200 {
                pending.push(Write { at: clock.now(), operation, body });
            }
            drop(replica);
            if !is_of_function {
                lag.settle();
            }
            json_response(status, answer)
        })
    }

    fn catch_up(&self, is_visible: impl Fn(&Write) -> bool) {
        let mut replica = locked(&self.0);
        let Some(Replica { engine, pending, .. }) = &mut *replica else { return };
        let visible = pending.iter().take_while(|write| is_visible(write)).count();
        for Write { operation, body, .. } in pending.drain(..visible) {
            let (status, answer) = engine.answer(&operation, &body);
            debug_assert_eq!(status, 200, "the replica refuses {operation}: {answer}");
        }
    }
}

pub(super) fn is_read(operation: &str) -> bool {
    matches!(operation, "GetItem" | "BatchGetItem" | "Query" | "Scan" | "TransactGetItems")
}

/// A read without `ConsistentRead`, or of an index. Texts cannot contain these members: JSON escapes quotation marks.
fn is_eventual(operation: &str, body: &[u8]) -> bool {
    let Ok(body) = std::str::from_utf8(body) else { return false };
    matches!(operation, "GetItem" | "BatchGetItem" | "Query" | "Scan")
        && (body.contains(r#""IndexName":"#) || !body.contains(r#""ConsistentRead":true"#))
}
