//! A connector around the embedded engine. It counts calls and consumed units, so that a test can limit the
//! cost of a request. It refuses accesses to which a function has no right. It also injects faults that a local engine
//! never causes: throttling, conflicts, service errors, lost answers, stale indexes and late replicas.

mod fault;
mod lag;
mod meter;
mod rights;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use local::engine::{self, Embedded, json_response, operation};

use crate::peers::locked;

pub use fault::{Fault, Faults};
pub use lag::Lag;
pub use meter::{Meter, Units};
pub use rights::{Act, Denials, acts_of, as_function, with_rights};

/// Calls by DynamoDB operation, such as `PutItem`. A retry of the SDK counts as a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calls(BTreeMap<String, u64>);

impl Calls {
    pub fn of(&self, operation: &str) -> u64 {
        self.0.get(operation).copied().unwrap_or_default()
    }

    /// The sum over all operations.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// Operations and counts, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(operation, count)| (operation.as_str(), *count))
    }
}

/// A count of calls that all clones share.
#[derive(Clone, Debug, Default)]
pub struct CallCounter(Arc<Mutex<Calls>>);

impl CallCounter {
    pub fn snapshot(&self) -> Calls {
        locked(&self.0).clone()
    }

    /// The calls after `earlier`; operations without new calls are left out.
    pub fn since(&self, earlier: &Calls) -> Calls {
        let mut since = self.snapshot();
        since.0.retain(|operation, count| {
            *count = count.saturating_sub(earlier.of(operation));
            *count > 0
        });
        since
    }

    fn count(&self, operation: &str) {
        *locked(&self.0).0.entry(operation.to_owned()).or_default() += 1;
    }
}

/// Counts calls and injects faults; clones share the state.
#[derive(Clone, Debug, Default)]
pub struct Observer {
    pub tally: CallCounter,
    /// Measures the consumed units between its start and stop.
    pub meter: Meter,
    pub faults: Faults,
    /// Answers eventually consistent reads.
    pub lag: Lag,
    /// Accesses that no right of their function allows.
    pub denials: Denials,
}

impl Observer {
    /// A client of an engine that this observes.
    pub fn client(&self, engine: Embedded) -> aws_sdk_dynamodb::Client {
        engine::client(ObservedEngine { engine, observer: self.clone() })
    }
}

#[derive(Clone, Debug)]
struct ObservedEngine {
    engine: Embedded,
    observer: Observer,
}

impl HttpClient for ObservedEngine {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl ObservedEngine {
    fn perform(&self, operation: &str, request: HttpRequest) -> HttpConnectorFuture {
        if let Some(answer) = self.observer.faults.repeated(&request) {
            return HttpConnectorFuture::ready(json_response(200, answer));
        }
        let lag = &self.observer.lag;
        if !lag.is_on() {
            return self.engine.call(request);
        }
        if !lag::is_read(operation) {
            return lag.write(operation.to_owned(), &request);
        }
        lag.answers(operation, &request).as_ref().unwrap_or(&self.engine).call(request)
    }
}

impl HttpConnector for ObservedEngine {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let operation = operation(&request).to_owned();
        self.observer.tally.count(&operation);
        if let Some(denial) = self.observer.denials.check(&operation, &request) {
            return HttpConnectorFuture::ready(denial);
        }
        if let Some(older) = self.observer.faults.stale_index(&operation, &request) {
            return older.call(request);
        }
        match self.observer.faults.next(&operation) {
            None if self.observer.meter.is_on() => {
                let (meter, answer) = (
                    self.observer.meter.clone(),
                    self.perform(&operation, meter::request_consumption(request)),
                );
                HttpConnectorFuture::new(async move {
                    let answer = answer.await?;
                    meter.add(&operation, &answer);
                    Ok(answer)
                })
            }
            None => self.perform(&operation, request),
            Some(Fault::AnswerLost) => {
                let (faults, token) = (self.observer.faults.clone(), fault::token(&request));
                let answer = self.perform(&operation, request);
                HttpConnectorFuture::new(async move {
                    faults.lose(token, &answer.await?);
                    Err(fault::timeout())
                })
            }
            Some(fault) => HttpConnectorFuture::ready(fault.answer(&operation, &request)),
        }
    }
}

#[cfg(test)]
mod tests;
