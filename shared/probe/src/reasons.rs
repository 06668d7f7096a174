//! Why a handshake was not `ok`. Each row of the decision table has one fault with its fix, in the words of
//! `specification.md#failure-reasons`. Only this module defines codes and words: owners, statistics and tests read them.

mod fault;
mod rows;
#[cfg(test)]
mod tests;

use registry_formats::agent_card::{CardFault, CardViolation};
use registry_formats::injection;
use registry_model::Reason;
use registry_model::characters::one_line;

pub use fault::{ConformanceRule, ConnectError, ProbeFault, ProbedResource, SignInFlaw, Stage};
pub use rows::{Class, fix_for};

const MAX_SEEN_CHARS: usize = 300;

impl ProbeFault {
    pub fn reason(&self, seen: &str) -> Reason {
        let reason = self.words();
        let seen = if seen.trim().is_empty() { reason.clone() } else { plain(seen, MAX_SEEN_CHARS) };
        Reason { code: self.code().into_owned(), reason, seen, fix: self.fix() }
    }
}

pub fn card_faults(fault: CardFault, status: u16) -> Vec<(ProbeFault, String)> {
    match fault {
        CardFault::NotACard(other) => vec![(ProbeFault::NotACard { status, fix: other.fix }, other.seen)],
        CardFault::Invalid(findings) => findings
            .into_iter()
            .map(|finding| {
                let seen = format!("{}: {}", finding.path, finding.seen);
                (ProbeFault::InvalidCard(status, finding), seen)
            })
            .collect(),
    }
}

/// A tool that clients of MCP 2026-07-28 leave out.
pub fn tool_header_warning(seen: &str) -> Reason {
    let fix = "Clients drop this tool, and so does the registry. Give x-mcp-header the name of a header that no other \
        argument has, on a string, an integer or a boolean that is reachable through properties.";
    warning("tool_header", "tool left out", seen, fix)
}

/// Official clients differ: some refuse a list with a cursor that is null.
pub fn null_cursor_warning() -> Reason {
    let seen = "nextCursor in the result of tools/list is null";
    let fix = "Leave nextCursor out on the last page: clients with strict types refuse the whole list.";
    warning("null_cursor", "list warning", seen, fix)
}

/// The hash of the tools, their pins and the search know only the tools that were read.
pub fn unread_tools_warning(pages: usize) -> Reason {
    let seen = format!("tools/list: a further page after {pages}");
    let fix = format!(
        "The registry and most clients stop reading: the further tools are not listed, searched or pinned. \
         Offer all tools on at most {pages} pages."
    );
    warning("tools_not_all_read", "list warning", &seen, fix)
}

pub fn card_warning(finding: &CardViolation) -> Reason {
    let seen = format!("{}: {}", finding.path, finding.seen);
    warning(finding.code, "card warning", &seen, finding.fix.clone())
}

fn warning(code: &str, reason: &str, seen: &str, fix: impl Into<String>) -> Reason {
    let (code, reason) = (code.to_owned(), reason.to_owned());
    Reason { code, reason, seen: plain(seen, MAX_SEEN_CHARS), fix: fix.into() }
}

/// One line without control and formatting characters, at most `limit` characters long. Models of callers read it.
fn plain(text: &str, limit: usize) -> String {
    injection::text_unless_injection(&one_line(text, limit)).to_owned()
}
