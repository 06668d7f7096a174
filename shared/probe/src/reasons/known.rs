//! Finds the fix for a reason when only the words of the reason are known. The statistics store only these
//! words. The search uses the table of faults, so that no fix is written twice.

use super::fault::{ConformanceRule, ConnectError, ProbeFault, ProbedResource, Stage};
use super::rows::row_of;
use super::sign_in::SignInFlaw;
use registry_fetch::TlsFailure;

/// The fix for a reason in the specification's words; `None` if no fault has these words.
pub fn fix_for(words: &str) -> Option<String> {
    if words.ends_with("(invalid card)") || words == "card partial (breaks the specification)" {
        return Some(
            "Fix the card. The status of the listing shows each fault and its place in the card.".to_owned(),
        );
    }
    faults(number_in(words))
        .into_iter()
        .map(|fault| row_of(&fault))
        .find(|(_, row_words, ..)| row_words == words)
        .map(|(_, _, fix, _)| fix.into_owned())
}

fn number_in(words: &str) -> u16 {
    let digits = words.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Every fault except those of a card's content, with `number` as the status or the time.
fn faults(number: u16) -> Vec<ProbeFault> {
    use ConformanceRule as Rule;
    use ProbeFault as Fault;
    let mut faults = vec![
        Fault::PreflightTimeout { ms: number.into() },
        Fault::ProbeTimeout { ms: number.into() },
        Fault::RequestsUsedUp,
        Fault::ConnectionLost,
        Fault::BadEncoding,
        Fault::TooMuch,
        Fault::NotACard {
            status: number,
            fix: "Serve the agent card itself at this URL, as application/json.",
        },
        Fault::NothingFound { status: Some(number) },
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
        Fault::AuthRequired { status: number },
        Fault::GatedUnproven { status: number },
        Fault::PaymentRequired,
        Fault::NotMcp { status: number },
        Fault::BadJsonRpc,
        Fault::InitializeRefused,
        Fault::WrongTransport,
        Fault::SseLegacy,
        Fault::ToolsFailed,
        Fault::ReplyPostponed,
        Fault::TooManyTools,
        Fault::NotAcceptable { speaks: true },
        Fault::NotAcceptable { speaks: false },
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
            Fault::Redirected { resource, status: Some(number) },
            Fault::Redirected { resource, status: None },
            Fault::TooLarge { resource },
            Fault::Waf { resource, status: number },
            Fault::HostRefused { resource, status: number },
            Fault::PlainHttp { resource },
            Fault::Http { resource, status: number },
        ]);
    }
    for stage in [Stage::Preflight, Stage::Probe] {
        let causes = [
            ConnectError::HostNotFound,
            ConnectError::ResolverFailed,
            ConnectError::Refused,
            ConnectError::NotPublic,
            ConnectError::OwnHost,
            ConnectError::Url,
        ];
        faults.extend(causes.map(|cause| Fault::Unreached { stage, cause }));
        let failures = [
            TlsFailure::Expired,
            TlsFailure::WrongName,
            TlsFailure::UnknownIssuer,
            TlsFailure::PlainText,
            TlsFailure::Other,
        ];
        faults.extend(failures.map(|failure| Fault::Unreached { stage, cause: ConnectError::Tls(failure) }));
    }
    let rules = [
        Rule::ResultType,
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
