//! The dialects by the names of their methods: 1.0 writes `SendMessage`, the older ones `message/send`. What a method
//! is called tells how its answer must look; no header is needed for that, and many clients send none.

pub(crate) mod older;
pub(crate) mod v1;

use std::sync::Arc;

use registry::http::JsonEnvelope;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::message::{Exactness, Part};
use crate::task::Task;

/// How an answer must look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// A2A 1.0.
    V1,
    /// A2A 0.3, with what readers of 0.2 look for beside it.
    V03,
    /// A2A 0.2: a `tasks/send` whose client names the task.
    V02,
}

/// A method that is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Send(Dialect),
    Get(Dialect),
    Cancel(Dialect),
    List,
    Help,
    Stream,
    Subscribe,
    Push,
    ExtendedCard(Dialect),
}

/// Every method there is, by its name.
const METHODS: [(&str, Method); 31] = [
    ("SendMessage", Method::Send(Dialect::V1)),
    ("GetTask", Method::Get(Dialect::V1)),
    ("ListTasks", Method::List),
    ("CancelTask", Method::Cancel(Dialect::V1)),
    ("SendStreamingMessage", Method::Stream),
    ("SubscribeToTask", Method::Subscribe),
    ("CreateTaskPushNotificationConfig", Method::Push),
    ("SetTaskPushNotificationConfig", Method::Push),
    ("GetTaskPushNotificationConfig", Method::Push),
    ("ListTaskPushNotificationConfig", Method::Push),
    ("ListTaskPushNotificationConfigs", Method::Push),
    ("DeleteTaskPushNotificationConfig", Method::Push),
    ("GetExtendedAgentCard", Method::ExtendedCard(Dialect::V1)),
    ("message/send", Method::Send(Dialect::V03)),
    ("tasks/send", Method::Send(Dialect::V02)),
    ("tasks/get", Method::Get(Dialect::V03)),
    ("tasks/cancel", Method::Cancel(Dialect::V03)),
    ("help", Method::Help),
    ("message/stream", Method::Stream),
    ("tasks/sendSubscribe", Method::Stream),
    ("tasks/resubscribe", Method::Subscribe),
    ("tasks/subscribe", Method::Subscribe),
    ("tasks/pushNotificationConfig/set", Method::Push),
    ("tasks/pushNotificationConfig/get", Method::Push),
    ("tasks/pushNotificationConfig/list", Method::Push),
    ("tasks/pushNotificationConfig/delete", Method::Push),
    ("tasks/pushNotification/set", Method::Push),
    ("tasks/pushNotification/get", Method::Push),
    ("agent/getAuthenticatedExtendedCard", Method::ExtendedCard(Dialect::V03)),
    ("agent/authenticatedExtendedCard", Method::ExtendedCard(Dialect::V03)),
    ("agent/getExtendedCard", Method::ExtendedCard(Dialect::V03)),
];

/// The method of a name.
pub(crate) fn method(name: &str) -> Option<Method> {
    METHODS.iter().find(|(known, _)| *known == name).map(|(_, method)| *method)
}

/// The names of the methods that do more than say that they are not there.
pub(crate) fn answered() -> Vec<&'static str> {
    let answered = |method: &Method| {
        matches!(method, Method::Send(_) | Method::Get(_) | Method::Cancel(_) | Method::List | Method::Help)
    };
    METHODS.iter().filter(|(_, method)| answered(method)).map(|(name, _)| *name).collect()
}

impl Dialect {
    /// How exact its messages must be.
    pub(crate) const fn exactness(self) -> Exactness {
        match self {
            Self::V1 => Exactness::Strict,
            Self::V03 | Self::V02 => Exactness::Lenient,
        }
    }

    /// Parts, apart from the message that they will stand in.
    pub(crate) fn parts(self, parts: Vec<Part>) -> Vec<Value> {
        match self {
            Self::V1 => parts.into_iter().map(v1::part).collect(),
            Self::V03 | Self::V02 => parts.into_iter().map(older::part).collect(),
        }
    }

    /// A message as an answer, around parts that are written already.
    pub(crate) fn message(
        self,
        id: &str,
        context_id: &str,
        parts: Arc<RawValue>,
    ) -> serde_json::Result<JsonEnvelope> {
        let parts = JsonEnvelope::new(parts);
        match self {
            Self::V1 => v1::answer(id, context_id, parts),
            Self::V03 | Self::V02 => older::answer(id, context_id, parts),
        }
    }

    /// A task as an answer to a message.
    pub(crate) fn sent(self, task: Task, history: Option<u64>) -> Value {
        match self {
            Self::V1 => serde_json::json!({ "task": v1::task(task, history, true) }),
            Self::V03 | Self::V02 => self.task(task, history),
        }
    }

    /// A task.
    pub(crate) fn task(self, task: Task, history: Option<u64>) -> Value {
        match self {
            Self::V1 => v1::task(task, history, true),
            Self::V03 => older::task(task, history, false),
            Self::V02 => older::task(task, history, true),
        }
    }
}

/// An object under construction; what is absent is left out.
#[derive(Debug, Default)]
struct Shape(Map<String, Value>);

impl Shape {
    fn put(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value.into());
        }
    }
}

impl From<Shape> for Value {
    fn from(shape: Shape) -> Self {
        Self::Object(shape.0)
    }
}

/// A list, unless it is empty.
fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_method_has_one_name() {
        let names: BTreeSet<&str> = METHODS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), METHODS.len());
        assert_eq!(method("message/send"), Some(Method::Send(Dialect::V03)));
        assert!(method("sendmessage").is_none());
        for name in ["message/send", "tasks/send", "help", "SendMessage", "ListTasks"] {
            assert!(answered().contains(&name));
        }
    }
}
