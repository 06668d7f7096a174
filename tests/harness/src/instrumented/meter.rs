//! Measures what calls to the table consume, in the units that AWS bills (`ReturnConsumedCapacity`). It is
//! disabled by default, because it costs time.

use std::sync::{Arc, Mutex};

use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use serde_json::{Value, json};

use crate::peers::locked;

/// Consumed units. AWS also bills a write whose condition fails, but its answer has no units, so it is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Units {
    pub read: f64,
    pub write: f64,
}

#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Mutex<Option<Units>>>);

impl Meter {
    pub fn start(&self) {
        *locked(&self.0) = Some(Units::default());
    }

    /// Stops and returns the units since the start.
    pub fn stop(&self) -> Units {
        locked(&self.0).take().unwrap_or_default()
    }

    pub(super) fn is_on(&self) -> bool {
        locked(&self.0).is_some()
    }

    pub(super) fn add(&self, operation: &str, answer: &HttpResponse) {
        let body = answer.body().bytes().unwrap_or_default();
        let Ok(answer) = serde_json::from_slice::<Value>(body) else { return };
        // A list if the operation may use several tables.
        let reports = match &answer["ConsumedCapacity"] {
            Value::Array(reports) => reports.as_slice(),
            report => std::slice::from_ref(report),
        };
        let units: f64 = reports.iter().filter_map(|report| report["CapacityUnits"].as_f64()).sum();
        if let Some(total) = locked(&self.0).as_mut() {
            match operation {
                "BatchGetItem" | "GetItem" | "Query" | "Scan" | "TransactGetItems" => total.read += units,
                _ => total.write += units,
            }
        }
    }
}

pub(super) fn request_consumption(mut request: HttpRequest) -> HttpRequest {
    let body = request.body().bytes().unwrap_or_default();
    if let Ok(mut input) = serde_json::from_slice::<Value>(body) {
        input["ReturnConsumedCapacity"] = json!("TOTAL");
        *request.body_mut() = SdkBody::from(input.to_string());
    }
    request
}
