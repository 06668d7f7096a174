//! The tools of a server, read page by page and checked. The listing gets a shortened copy, and the whole definitions are
//! stored next to it. The hash of the set covers every definition, so that every change of a tool is noticed.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::auth;
use super::eras::{self, Era, Session};
use crate::handshake::conversation::{Conversation, excerpt, fault_of, guard, no_answer_text, refusal};
use crate::handshake::jsonrpc::{RpcOutcome, RpcReply};
use crate::reasons::{self, ConformanceRule, ProbeFault, ProbedResource, Stage};
use registry_fetch::{Answer, FetchError};
use registry_formats::document_texts;
use registry_formats::limits::MOST_TOOLS;
use registry_formats::tool_definition::{self, ToolAnnotations};
use registry_formats::tool_schema;
use registry_model::error::shorten;
use registry_model::protocol::MAX_TOOL_NAME_CHARS;
use registry_model::{ObservedServer, ObservedTool, TextFaults, Tool, ToolParameter, sha256_hex, tools_hash};

/// As many as the official TypeScript client reads at most.
const MAX_PAGES: usize = 64;
const MAX_TOOLS_READ: usize = 2000;
const MAX_SHOWN_NAME_CHARS: usize = 256;
const MAX_DESCRIPTION_CHARS: usize = 500;
const MAX_PARAMETERS: usize = 16;
/// Tools with a wrong header of which the registry warns.
const MAX_LEFT_OUT: usize = 20;
/// The bytes of a definition that is stored. Of a longer one, only the hash is stored.
const MAX_DEFINITION_BYTES: usize = 32 * 1024;
/// The bytes of all definitions of a set that are stored, each counted as at least [`MIN_DEFINITION_BYTES`].
const MAX_DEFINITIONS_BYTES: usize = 384 * 1024;
const MIN_DEFINITION_BYTES: usize = 768;
/// The bytes of the names and hashes of a set that are stored, so that they fit into one item of the table.
const MAX_LIST_BYTES: usize = 256 * 1024;

/// The tools that were read: for each, what the listing shows, the hash and the definition.
#[derive(Default)]
struct ToolList {
    read: usize,
    names: HashSet<String>,
    kept: Vec<Tool>,
    seen: Vec<ObservedTool>,
    definition_bytes: usize,
    broken: Vec<(ConformanceRule, String)>,
    /// The first tools that clients must drop, with the rule.
    left_out: Vec<String>,
    has_null_cursor: bool,
    text_faults: TextFaults,
}

enum Page {
    Read { next: Option<String>, broken_rules: Vec<ConformanceRule> },
    Other,
    TooMany,
}

/// What is stored of a server without tools: the empty set.
pub(super) fn none() -> ObservedServer {
    ToolList::default().finish().1
}

/// The server answered 404 within a session, so the client opens a new one.
pub(super) struct SessionLost;

/// Requests the tools, page by page. `may_be_lost`: a 404 ends only the session, and nothing is recorded.
pub(super) async fn read_all(
    peer: &mut Conversation<'_>,
    session: &Session,
    may_be_lost: bool,
) -> Result<(), SessionLost> {
    let mut tools = ToolList::default();
    let mut cursors = HashSet::new();
    let mut cursor: Option<String> = None;
    for number in 0..MAX_PAGES {
        // The server chose the size of its pages, so that they cost nothing of what the rest may use.
        if number > 0 {
            peer.allow_one_more();
        }
        let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
        let id = peer.id();
        let answer = match session.send(peer, id, "tools/list", params).await {
            Ok(answer) => answer,
            Err(error) => {
                let fault = match error {
                    FetchError::TooLarge { .. } => ProbeFault::TooManyTools,
                    _ => fault_of(&error, ProbedResource::Remote, Stage::Probe),
                };
                peer.findings.fault(&fault, &format!("tools/list: {}", no_answer_text(&error)));
                return Ok(());
            }
        };
        let era = session.era;
        let read = peer.read(&answer, move |answer, budget| {
            let mut reply = eras::reply_in(answer, id, &mut budget.values);
            let page = match &mut reply.outcome {
                RpcOutcome::Result(result) => tools.take_page(result, era),
                _ => Page::Other,
            };
            (tools, page, reply.without_result())
        });
        let (read, page, reply) = read.await;
        tools = read;
        let (next, broken_rules) = match page {
            Page::Read { next, broken_rules } => (next, broken_rules),
            Page::Other if may_be_lost && session.id.is_some() && answer.status.as_u16() == 404 => {
                return Err(SessionLost);
            }
            Page::Other if eras::postponed(&answer, id).is_some() => {
                peer.findings
                    .fault(&ProbeFault::ReplyPostponed, "tools/list: a stream ended before the reply");
                return Ok(());
            }
            Page::Other => {
                refused(peer, &answer, &reply).await;
                return Ok(());
            }
            Page::TooMany => {
                let seen = format!("tools/list: more than {MAX_TOOLS_READ} tools");
                peer.findings.fault(&ProbeFault::TooManyTools, &seen);
                return Ok(());
            }
        };
        eras::record_form(peer, reply.streamed, &reply.broken_rules, "tools/list");
        peer.findings.broken(&broken_rules, "in the reply to tools/list");
        cursor = next;
        match &cursor {
            None => break,
            Some(next) if !cursors.insert(next.clone()) => {
                peer.findings
                    .broken(&[ConformanceRule::Cursor], &format!("nextCursor `{next}` was repeated"));
                break;
            }
            Some(_) if number + 1 == MAX_PAGES => {
                peer.findings.warning(reasons::unread_tools_warning(MAX_PAGES));
            }
            Some(_) => {}
        }
    }
    if cursor.is_some() {
        peer.findings.signal("tools_not_all_read");
    }
    let findings = &mut *peer.findings;
    findings.signal("tools_listed");
    for (rule, seen) in &tools.broken {
        findings.broken(&[*rule], seen);
    }
    for seen in &tools.left_out {
        findings.warning(reasons::tool_header_warning(seen));
    }
    if tools.has_null_cursor {
        findings.warning(reasons::null_cursor_warning());
    }
    findings.facts.text_faults.or(std::mem::take(&mut tools.text_faults));
    let (kept, seen) = tools.finish();
    findings.facts.tools = kept;
    findings.facts.tools_hash = Some(tools_hash(&seen.set));
    findings.facts.seen = Some(Arc::new(seen));
    Ok(())
}

async fn refused(peer: &mut Conversation<'_>, answer: &Answer, reply: &RpcReply) {
    let status = answer.status.as_u16();
    let seen = format!("tools/list: {}", eras::describe(answer, reply));
    let wants_credentials = matches!(&reply.outcome, RpcOutcome::Error(error) if error.wants_credentials());
    if guard(answer, ProbedResource::Remote).is_some() {
        peer.findings.fault(&refusal(answer, ProbedResource::Remote), &seen);
    } else if matches!(status, 401..=403 | 407) || wants_credentials {
        auth::record_refusal(peer, answer, true, &seen).await;
    } else {
        let moment = status == 429 || (status >= 500 && !matches!(reply.outcome, RpcOutcome::Error(_)));
        match &reply.outcome {
            _ if moment => peer.findings.fault(&refusal(answer, ProbedResource::Remote), &seen),
            RpcOutcome::Broken => {
                peer.findings.fault(&ProbeFault::BadJsonRpc, &format!("tools/list: {}", excerpt(answer)));
            }
            RpcOutcome::TooMuch => peer.findings.fault(&ProbeFault::TooManyTools, &seen),
            _ => peer.findings.fault(&ProbeFault::ToolsFailed, &seen),
        }
    }
}

impl ToolList {
    fn take_page(&mut self, result: &mut Value, era: Era) -> Page {
        let Some(page) = result.get_mut("tools").and_then(Value::as_array_mut) else { return Page::Other };
        self.text_faults.or(document_texts::of_tools(page, self.read));
        for tool in page {
            if self.read == MAX_TOOLS_READ {
                return Page::TooMany;
            }
            self.take(tool.take(), era);
        }
        let next = match result.get("nextCursor").and_then(Value::as_str) {
            // An empty cursor is valid in the modern era; before it, an empty cursor meant the end.
            Some("") if era == Era::Legacy => None,
            next => next.map(str::to_owned),
        };
        let mut broken_rules = if era == Era::Modern { eras::modern_faults(result) } else { Vec::new() };
        if result.get("_meta").is_some_and(|meta| !meta.is_null() && !meta.is_object()) {
            broken_rules.push(ConformanceRule::ResultShape);
        }
        match result.get("nextCursor") {
            None | Some(Value::String(_)) => {}
            Some(Value::Null) => self.has_null_cursor = true,
            Some(_) => broken_rules.push(ConformanceRule::Cursor),
        }
        Page::Read { next, broken_rules }
    }

    fn take(&mut self, mut tool: Value, era: Era) {
        self.read += 1;
        let shape_fault = tool_schema::fault(&tool);
        if era == Era::Modern
            && shape_fault.is_none()
            && let Some(rule) = tool_schema::header_fault(&tool)
        {
            if self.left_out.len() < MAX_LEFT_OUT {
                let name = shorten(tool["name"].as_str().unwrap_or_default(), MAX_TOOL_NAME_CHARS);
                self.left_out.push(format!("tool `{name}`: {rule}"));
            }
            return;
        }
        let text = |name: &str| tool[name].as_str().unwrap_or_default().trim();
        let name = text("name");
        let is_of_length = !name.is_empty() && name.chars().count() <= MAX_TOOL_NAME_CHARS;
        if let Some(fault) = shape_fault {
            self.broken(ConformanceRule::ToolShape, name, &format!(": {fault}"));
        } else if !is_of_length || !self.names.insert(name.to_owned()) {
            self.broken(ConformanceRule::ToolNames, name, "");
        }
        let name = shorten(name, MAX_SHOWN_NAME_CHARS);
        if !name.is_empty() && self.kept.len() < MOST_TOOLS {
            let annotations = ToolAnnotations::of(&tool);
            self.kept.push(Tool {
                name: name.clone(),
                description: shorten(text("description"), MAX_DESCRIPTION_CHARS),
                parameters: parameters(&tool["inputSchema"]),
                read_only: annotations.read_only,
                destructive: annotations.destructive,
            });
        }
        match tool_definition::canonical(&mut tool) {
            Ok(definition) => self.add_definition(name, definition),
            Err(_) => self.broken(ConformanceRule::ToolShape, &name, ""),
        }
    }

    fn add_definition(&mut self, name: String, definition: String) {
        let hash = sha256_hex(&definition);
        let bytes = self.definition_bytes + definition.len().max(MIN_DEFINITION_BYTES);
        let fits = definition.len() <= MAX_DEFINITION_BYTES && bytes <= MAX_DEFINITIONS_BYTES;
        if fits {
            self.definition_bytes = bytes;
        }
        self.seen.push(ObservedTool { name, hash, definition: Some(definition).filter(|_| fits) });
    }

    /// What the listing shows, and what is stored next to it.
    fn finish(self) -> (Vec<Tool>, ObservedServer) {
        let mut tools = self.seen;
        tools.sort_by(|one, other| (&one.name, &one.hash).cmp(&(&other.name, &other.hash)));
        let set = tool_definition::set_hash(tools.iter().map(|tool| tool.hash.as_str()));
        // In the stored list, a tool needs its name, its hash and the JSON around them.
        let sizes = tools.iter().map(|tool| tool.name.len() + tool.hash.len() + 24);
        let listed = sizes.scan(0, |sum, size| {
            *sum += size;
            Some(*sum)
        });
        let listed = listed.take_while(|sum| *sum <= MAX_LIST_BYTES).count();
        let unlisted = u32::try_from(tools.len() - listed).unwrap_or(u32::MAX);
        tools.truncate(listed);
        (self.kept, ObservedServer { set, tools, unlisted, contents: None })
    }

    fn broken(&mut self, rule: ConformanceRule, name: &str, fault: &str) {
        if !self.broken.iter().any(|(known, _)| *known == rule) {
            self.broken.push((rule, format!("tool `{}`{fault}", shorten(name, MAX_TOOL_NAME_CHARS))));
        }
    }
}

fn parameters(schema: &Value) -> Vec<ToolParameter> {
    let parameter = |(name, schema, required): (&str, &Value, bool)| ToolParameter {
        name: name.to_owned(),
        value: tool_definition::parameter_type(schema),
        required,
    };
    tool_definition::parameters(schema, MAX_PARAMETERS).map(parameter).collect()
}

#[cfg(test)]
mod tests;
