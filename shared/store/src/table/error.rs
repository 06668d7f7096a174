//! The errors of the table. Callers need to know only one thing: whether to retry later or to report a fault. The
//! errors of the SDK and of the serializers are mapped here, so that no other file matches on their codes.

use std::error::Error;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use registry_model::LimitedTarget;
use registry_model::error::{Problem, Source};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Throttled, in conflict with another writer, or timed out: a retry may succeed.
    #[error("the table is busy")]
    Busy(#[source] Source),
    /// The table refused a request, or an item cannot be decoded: a fault of this registry that a retry does not fix.
    #[error("the table refused a request")]
    Fault(#[source] Source),
    /// The search backend of the operator failed: a retry may succeed.
    #[error("the search backend failed")]
    Search(#[source] Source),
    /// A rate limit is exceeded. Nothing was written.
    #[error("a rate limit is exceeded: {0:?}")]
    Limited(UsedUp),
}

/// A refused action, with the limit that is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsedUp {
    pub scope: Scope,
    /// Seconds until it is allowed again.
    pub wait: u32,
}

/// Whose actions are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Caller,
    Target(LimitedTarget),
    Everybody,
}

impl Scope {
    /// The value of `allowance` in the refusal.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Caller => "caller",
            Self::Target(target) => target.as_str(),
            Self::Everybody => "everybody",
        }
    }
}

impl From<UsedUp> for Problem {
    fn from(UsedUp { scope, wait }: UsedUp) -> Self {
        let limit = match scope {
            Scope::Caller => "hourly rate limit for your address",
            Scope::Target(LimitedTarget::Host) => "hourly rate limit for this host or its domain",
            Scope::Target(LimitedTarget::Listing) => "hourly rate limit for this listing",
            Scope::Everybody => "rate limit for all callers together",
        };
        let detail = format!("The {limit} is exceeded. Send the request again after {wait} s.");
        Self::too_many(detail, wait).with("allowance", scope.as_str())
    }
}

impl StoreError {
    pub(crate) fn busy(why: impl Into<Source>) -> Self {
        Self::Busy(why.into())
    }

    pub(crate) fn fault(why: impl Into<Source>) -> Self {
        Self::Fault(why.into())
    }
}

pub(crate) type Result<T, E = StoreError> = std::result::Result<T, E>;

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Busy(_) => Self::unavailable(error),
            StoreError::Fault(_) => Self::fault(error),
            StoreError::Search(_) => Self::search_unavailable(error),
            StoreError::Limited(used_up) => used_up.into(),
        }
    }
}

/// The errors that are always a fault.
macro_rules! faults {
    ($($Error:ty),+) => {$(
        impl From<$Error> for StoreError {
            fn from(error: $Error) -> Self {
                Self::Fault(error.into())
            }
        }
    )+};
}

faults!(serde_dynamo::Error, serde_json::Error, aws_sdk_dynamodb::error::BuildError);

/// Error codes after which a retry may succeed (DynamoDB developer guide, "Error handling").
const RETRYABLE: [&str; 8] = [
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
    "LimitExceededException",
    "TransactionInProgressException",
    "TransactionConflictException",
    "InternalServerError",
    "ServiceUnavailable",
];

impl<E> From<SdkError<E>> for StoreError
where
    E: ProvideErrorMetadata + Error + Send + Sync + 'static,
{
    fn from(error: SdkError<E>) -> Self {
        let retryable = match &error {
            SdkError::TimeoutError(_) | SdkError::DispatchFailure(_) | SdkError::ResponseError(_) => true,
            SdkError::ServiceError(service) => {
                service.raw().status().is_server_error()
                    || service.err().code().is_some_and(|code| RETRYABLE.contains(&code))
            }
            _ => false,
        };
        if retryable { Self::Busy(error.into()) } else { Self::Fault(error.into()) }
    }
}

/// Whether a single write failed because its condition did.
pub(crate) fn is_condition_failure<E: ProvideErrorMetadata>(error: &SdkError<E>) -> bool {
    error.as_service_error().and_then(|error| error.code()) == Some("ConditionalCheckFailedException")
}
