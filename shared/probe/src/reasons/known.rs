//! Finds the fix for the code of a reason. The statistics store only codes; the search uses the table of faults, so that no
//! fix is written twice.

use super::fault::{ConformanceRule, ConnectError, ProbeFault, ProbedResource, Stage};
use super::rows::row_of;
use super::sign_in::SignInFlaw;
use registry_fetch::TlsFailure;

/// The fix for a code; `None` if no fault has it, and for the faults of a card's content, whose fix depends on the card.
pub fn fix_for(code: &str) -> Option<String> {
    examples().iter().map(row_of).find(|(known, ..)| known == code).map(|(_, _, fix, _)| fix.into_owned())
}

/// One fault of each code.
fn examples() -> Vec<ProbeFault> {
    use ConformanceRule as Rule;
    use ProbeFault as Fault;
    let mut faults = vec![
        Fault::PreflightTimeout { ms: 0 },
        Fault::ProbeTimeout { ms: 0 },
        Fault::RequestsUsedUp,
        Fault::ConnectionLost,
        Fault::BadEncoding,
        Fault::TooMuch,
        Fault::NotACard { status: 200, fix: "Serve the agent card itself at this URL, as application/json." },
        Fault::NothingFound { status: None },
        Fault::GrpcOnly,
        Fault::NoInterface,
        Fault::InterfaceUrl,
        Fault::ForeignInterface,
        Fault::NotA2a,
        Fault::UnknownMethods,
        Fault::MessageRefused,
        Fault::MessageFailed,
        Fault::MessageTimeout,
        Fault::AnswerShape,
        Fault::AuthRequired { status: 401 },
        Fault::GatedUnproven { status: 401 },
        Fault::PaymentRequired,
        Fault::NotMcp { status: 200 },
        Fault::BadJsonRpc,
        Fault::InitializeRefused,
        Fault::VersionRefused,
        Fault::WrongTransport,
        Fault::SseLegacy,
        Fault::ToolsFailed,
        Fault::ReplyPostponed,
        Fault::TooManyTools,
        Fault::NotAcceptable { speaks: true },
        Fault::ContentTypeRefused,
        Fault::Templated,
        Fault::NeedsConfig,
        Fault::StdioOnly,
        Fault::PackageUnchecked,
        Fault::NothingDeclared,
        Fault::PackageMissing,
        Fault::PackageUnnamed,
        Fault::PackageUnreached,
    ];
    for resource in [ProbedResource::Card, ProbedResource::Remote] {
        faults.extend([
            Fault::Redirected { resource, status: None },
            Fault::TooLarge { resource },
            Fault::Waf { resource, status: 403 },
            Fault::HostRefused { resource, status: 403 },
            Fault::PlainHttp { resource },
        ]);
        let statuses = [400, 401, 402, 403, 404, 405, 406, 409, 418, 421, 429, 500];
        faults.extend(statuses.map(|status| Fault::Http { resource, status }));
    }
    let causes = [
        ConnectError::HostNotFound,
        ConnectError::ResolverFailed,
        ConnectError::Refused,
        ConnectError::Tls(TlsFailure::Expired),
        ConnectError::Tls(TlsFailure::WrongName),
        ConnectError::Tls(TlsFailure::UnknownIssuer),
        ConnectError::Tls(TlsFailure::PlainText),
        ConnectError::Tls(TlsFailure::Other),
        ConnectError::NotPublic,
        ConnectError::OwnHost,
        ConnectError::Url,
    ];
    faults.extend(causes.map(|cause| Fault::Unreached { stage: Stage::Probe, cause }));
    let rules = [
        Rule::ResultType,
        Rule::Status,
        Rule::ContentType,
        Rule::Stream,
        Rule::Caching,
        Rule::IdEcho,
        Rule::Batch,
        Rule::JsonRpcMember,
        Rule::Notification,
        Rule::ToolShape,
        Rule::ToolNames,
        Rule::Cursor,
        Rule::Revision,
        Rule::ResultShape,
        Rule::Headers,
    ];
    faults.extend(rules.map(Fault::Nonconforming));
    faults.extend(SignInFlaw::ALL.map(|flaw| Fault::SignIn { flaw, temporary: false }));
    faults
}
