//! The dialects (versions) of A2A, recognized by their method names: `SendMessage` in 1.0 is `message/send` in older ones.
//! The method name also decides the dialect of the answer, because many clients send no version header.

use crate::errors::RpcError;
use crate::prelude::*;

/// The version that an answer is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// A2A 1.0.
    V1,
    /// A2A 0.3, with the members that clients of 0.2 read.
    V03,
    /// A2A 0.2: a `tasks/send` whose client names the task.
    V02,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
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

pub(super) fn method(name: &str) -> Option<Method> {
    METHODS.iter().find(|(known, _)| *known == name).map(|(_, method)| *method)
}

/// The supported methods. The others are in the table only to be refused with the right error.
pub(super) fn supported() -> Vec<&'static str> {
    let is_supported = |method: &Method| {
        matches!(method, Method::Send(_) | Method::Get(_) | Method::Cancel(_) | Method::List | Method::Help)
    };
    METHODS.iter().filter(|(_, method)| is_supported(method)).map(|(name, _)| *name).collect()
}

/// The header of the version (A2A 1.0 specification §3.6), which is used only to refuse unsupported versions.
const HEADER: &str = "a2a-version";

/// Refuses an unsupported version in the header or, without a header, in the query.
pub(super) fn check_version(headers: &HeaderMap, query: &Parameters) -> Result<(), RpcError> {
    let from_query = query.iter().find(|(name, _)| name.eq_ignore_ascii_case(HEADER));
    let header = headers.get(HEADER).map(|value| String::from_utf8_lossy(value.as_bytes()));
    match header.as_deref().or(from_query.map(|(_, value)| value)).map(str::trim) {
        None | Some("") => Ok(()),
        Some(version) if is_supported(version) => Ok(()),
        Some(version) => Err(RpcError::unsupported_version(version)),
    }
}

/// `1.x` and `0.2`, `0.3`; some clients add a patch number.
fn is_supported(version: &str) -> bool {
    let numbers: Option<Vec<u32>> = version.split('.').map(|number| number.parse().ok()).collect();
    matches!(numbers.as_deref(), Some([1] | [1, _] | [1, _, _] | [0, 2 | 3] | [0, 2 | 3, _]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsupported_versions_are_refused() {
        let query = |text: &str| Parameters::parse(text.as_bytes());
        let mut headers = HeaderMap::new();
        assert!(check_version(&headers, &query("")).is_ok());
        assert!(check_version(&headers, &query("A2A-Version=1.0")).is_ok());
        assert!(check_version(&headers, &query("A2A-Version=99.0")).is_err());
        for (version, supported) in [
            ("1.0", true),
            ("0.3", true),
            ("0.3.0", true),
            ("", true),
            ("x", false),
            ("2.0", false),
            ("0.1", false),
        ] {
            headers.insert(HEADER, version.parse().unwrap());
            assert_eq!(check_version(&headers, &query("")).is_ok(), supported, "{version}");
        }
    }
}
