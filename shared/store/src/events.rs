//! Events: a listing was queued, went Live, is gated, needs a fix, was demoted, or was withdrawn; or a part of the
//! recheck is due. On AWS, events go to an EventBridge bus. On the local server, they go to a channel and
//! have the same form. If an event is lost, no listing is lost.

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tracing::{Instrument as _, Span};

use registry_model::error::{Source, chain};
use registry_model::{HashPrefix, Kind, Listing, ListingId, Moment, string_enum};

/// The `source` of every event of this registry.
pub const SOURCE: &str = "registry";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub what: What,
    pub listing_id: ListingId,
    pub kind: Option<Kind>,
    pub at: Moment,
}

string_enum! {
    /// What happened to a listing, as the detail type of the event.
    pub enum What {
        Queued = "listing.queued",
        Live = "listing.live",
        /// A probe proved the sign-in that it asks for.
        Gated = "listing.gated",
        /// A probe found something to fix.
        NeedsFix = "listing.needs_fix",
        /// A confirmed weekly recheck failed.
        Demoted = "listing.demoted",
        Withdrawn = "listing.withdrawn",
    }
}

impl Event {
    pub fn of(listing: &Listing, what: What, at: Moment) -> Self {
        Self { what, listing_id: listing.id.clone(), kind: listing.kind, at }
    }

    /// The event as EventBridge delivers it to a target.
    pub fn envelope(&self) -> Value {
        let detail = json!({ "listing_id": self.listing_id, "kind": self.kind, "at": self.at });
        envelope(self.what.as_str(), self.listing_id.as_str(), self.at, &detail)
    }
}

/// The `detail-type` of a part of the weekly recheck.
pub const RECHECK_PART: &str = "recheck.part";

fn envelope(detail_type: &str, about: &str, at: Moment, detail: &Value) -> Value {
    json!({
        "version": "0",
        "id": format!("{about}-{}", at.as_millisecond()),
        "detail-type": detail_type,
        "source": SOURCE,
        "time": at.to_string(),
        "detail": detail,
    })
}

/// The members of the events and reports of SQS that the registry uses.
const RECORDS: &str = "Records";
const UNHANDLED: &str = "batchItemFailures";

/// An event as SQS delivers it to a function, for the `received`th time.
pub fn queued(event: &Value, received: u32) -> Value {
    json!({ RECORDS: [{
        "messageId": event["id"],
        "eventSource": "aws:sqs",
        "attributes": { "ApproximateReceiveCount": received.to_string() },
        "body": event.to_string(),
    }] })
}

/// The event in a single message of SQS, with the number of times that the message was received and its id as the members
/// `received` and `message`. Everything else is returned as it is: also several messages, which only a function gets
/// that does not read them.
pub fn from_queue(mut event: Value) -> Value {
    let records = event.get_mut(RECORDS).and_then(Value::as_array_mut);
    let Some([record]) = records.map(Vec::as_mut_slice) else { return event };
    let Some(mut body) = record["body"].as_str().and_then(|body| serde_json::from_str::<Value>(body).ok())
    else {
        return event;
    };
    let received =
        record["attributes"]["ApproximateReceiveCount"].as_str().and_then(|n| n.parse::<u32>().ok());
    body["received"] = json!(received);
    body["message"] = record["messageId"].take();
    body
}

/// Tells SQS in the report of a function to deliver this message again.
pub fn leave_in_queue(report: &mut Value, message: &str) {
    report[UNHANDLED] = json!([{ "itemIdentifier": message }]);
}

/// Whether a report leaves its message in the queue.
pub fn is_unhandled(report: &Value) -> bool {
    report[UNHANDLED].as_array().is_some_and(|messages| !messages.is_empty())
}

tokio::task_local! {
    /// The id of the request that caused the running work.
    static CAUSE: String;
}

/// Runs the work that a request causes. All its log lines are in `span`, which contains the id of the request, and the
/// events that it sends contain the id as their `cause`.
pub fn caused_by<F: Future>(request_id: String, span: Span, work: F) -> impl Future<Output = F::Output> {
    CAUSE.scope(request_id, work).instrument(span)
}

/// Runs the job of a function for an event, as [`caused_by`]: the id is that in the event. An event of a schedule, which no
/// request caused, has none; then it is `otherwise`.
pub fn handled<F: Future>(
    function: &str,
    event: &Value,
    otherwise: String,
    work: F,
) -> impl Future<Output = F::Output> + use<F> {
    let request_id = event["detail"]["cause"].as_str().map_or(otherwise, str::to_owned);
    // Of the highest level, so that the lines of every level contain it.
    let span = tracing::error_span!("job", request_id, function);
    caused_by(request_id, span, work)
}

/// Events that wait in a process. Further ones are lost, and the next tick finds what happened in the table.
const MAX_WAITING: usize = 10_000;

#[derive(Clone, Debug)]
pub enum Bus {
    #[cfg(feature = "eventbridge")]
    EventBridge(aws_sdk_eventbridge::Client, std::sync::Arc<str>),
    /// A channel within this process.
    Local(mpsc::Sender<Value>),
    /// For a function that sends no event, or a deployment without a bus.
    Silent,
}

impl Bus {
    /// A bus within this process, and the receiver of its events.
    pub fn local() -> (Self, mpsc::Receiver<Value>) {
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        (Self::Local(sender), receiver)
    }

    /// Sends an event. A failure is only logged: the table contains what happened, and the next tick finds it there.
    pub async fn send(&self, event: &Event) {
        if let Err(failure) = self.put(event.envelope()).await {
            tracing::warn!(listing_id = %event.listing_id, failure = chain(&*failure), "cannot send an event to the bus");
        }
    }

    /// Sends a part of the weekly recheck, to be done in parallel with the others. After a failure its listings stay due until
    /// the next run.
    pub async fn send_part(&self, part: HashPrefix, at: Moment) {
        let (name, detail) = (part.to_string(), json!({ "part": part.to_string(), "at": at }));
        if let Err(failure) = self.put(envelope(RECHECK_PART, &name, at, &detail)).await {
            tracing::warn!(%part, failure = chain(&*failure), "cannot send a part of the recheck to the bus");
        }
    }

    async fn put(&self, mut envelope: Value) -> Result<(), Source> {
        if let Ok(cause) = CAUSE.try_with(String::clone) {
            envelope["detail"]["cause"] = Value::String(cause);
        }
        match self {
            Self::Silent => Ok(()),
            Self::Local(sender) => Ok(sender.try_send(envelope)?),
            #[cfg(feature = "eventbridge")]
            Self::EventBridge(client, bus) => put(client, bus, &envelope).await,
        }
    }
}

#[cfg(feature = "eventbridge")]
async fn put(client: &aws_sdk_eventbridge::Client, bus: &str, envelope: &Value) -> Result<(), Source> {
    let entry = aws_sdk_eventbridge::types::PutEventsRequestEntry::builder()
        .event_bus_name(bus)
        .source(SOURCE)
        .detail_type(envelope["detail-type"].as_str().unwrap_or_default())
        .detail(envelope["detail"].to_string())
        .build();
    let answer = client.put_events().entries(entry).send().await?;
    match answer.failed_entry_count() {
        0 => Ok(()),
        _ => Err(format!("{:?}", answer.entries()).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn local_bus_holds_a_limited_number_of_events() {
        let (bus, events) = Bus::local();
        for _ in 0..=MAX_WAITING {
            let _full = bus.put(serde_json::json!({ "detail": {} })).await;
        }
        assert_eq!(events.len(), MAX_WAITING);
    }
}
