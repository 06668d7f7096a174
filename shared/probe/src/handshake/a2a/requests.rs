//! The two requests to an agent (the task query and the message) in each dialect of A2A, over JSON-RPC or REST. The
//! requests have the form that the official clients of 1.0 and 0.3 send, because agents are tested with these clients.

use serde_json::{Value, json};

use crate::handshake::sse;
use registry_fetch::{Follow, MAX_ENDPOINT_ANSWER_BYTES, PROBE, Request, Target};
use registry_formats::a2a_message::{Endpoint, newest, older, older_rest, oldest, rest_path};
use registry_formats::agent_card::Dialect;
use registry_model::Reach;

/// Names the sender, so that the agent does no work for it.
pub(super) const GREETING: &str = "Hello! What can you do? (liveness check by a registry; no action needed)";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    Rpc,
    Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MethodSet {
    V1_0,
    /// Also understood by 0.2, whose shapes are a subset.
    V0_3,
    V0_2,
    /// Before 0.2: `tasks/send`.
    Tasks,
}

impl MethodSet {
    pub(super) const fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::V1_0 => Self::V1_0,
            Dialect::V0_3 => Self::V0_3,
            Dialect::V0_2 => Self::V0_2,
        }
    }

    pub(super) const fn other(self) -> Self {
        match self {
            Self::V1_0 => Self::V0_3,
            Self::V0_3 | Self::Tasks => Self::V1_0,
            Self::V0_2 => Self::Tasks,
        }
    }

    pub(super) const fn version(self) -> &'static str {
        match self {
            Self::V1_0 => "1.0",
            Self::V0_3 => "0.3",
            Self::V0_2 | Self::Tasks => "0.2",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) target: Target,
    pub(super) transport: Transport,
    pub(super) methods: MethodSet,
    /// The card says that the interface has these methods.
    pub(super) is_declared: bool,
    pub(super) tenant: Option<String>,
}

impl Route {
    /// Whether official clients would not call these methods. Of versions before 0.2 there is none.
    pub(super) fn is_guess(&self) -> bool {
        !self.is_declared && self.methods != MethodSet::Tasks
    }

    pub(super) fn endpoint(&self) -> String {
        Endpoint { url: self.target.to_string(), tenant: self.tenant.clone() }.to_string()
    }

    /// Asks for a task that does not exist. `None` if the REST path makes the URL too long.
    pub(super) fn question(&self, id: u64, task: &str, reach: Reach) -> Option<Request> {
        let method = if self.methods == MethodSet::V1_0 { "GetTask" } else { "tasks/get" };
        let request = match self.transport {
            Transport::Rpc => {
                let mut params = json!({"id": task});
                if let Some(tenant) = &self.tenant {
                    params["tenant"] = tenant.as_str().into();
                }
                self.rpc(id, method, &params)
            }
            Transport::Rest => {
                let get = Request::get(self.below(&format!("/tasks/{task}"), reach)?);
                get.with_deadline(PROBE)
                    .with_max_bytes(MAX_ENDPOINT_ANSWER_BYTES)
                    .with_follow(Follow::SameOriginOnce)
            }
        };
        Some(self.versioned(request))
    }

    /// Sends a text. An agent that can answer later is asked to return at once.
    pub(super) fn message(&self, id: u64, message_id: &str, text: &str, reach: Reach) -> Option<Request> {
        let request = match (self.transport, self.methods) {
            (Transport::Rpc, MethodSet::V1_0) => {
                self.rpc(id, "SendMessage", &newest(message_id, text, self.tenant.as_deref()))
            }
            (Transport::Rpc, MethodSet::V0_3 | MethodSet::V0_2) => {
                self.rpc(id, "message/send", &older(message_id, text))
            }
            (Transport::Rpc, MethodSet::Tasks) => self.rpc(id, "tasks/send", &oldest(message_id, text)),
            (Transport::Rest, MethodSet::V1_0) => {
                Request::post_json(self.below("/message:send", reach)?, &newest(message_id, text, None))
            }
            (Transport::Rest, _) => {
                Request::post_json(self.below("/message:send", reach)?, &older_rest(message_id, text))
            }
        };
        Some(self.versioned(request))
    }

    fn rpc(&self, id: u64, method: &str, params: &Value) -> Request {
        let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let request = Request::post_json(self.target.clone(), &body);
        // Some servers stream every answer; the stream may stay open after it.
        let request = request.until(sse::until_reply(id));
        request.with_header("accept", "application/json, text/event-stream")
    }

    /// REST paths are relative to the interface's URL; before 1.0 they begin with `/v1`.
    fn below(&self, path: &str, reach: Reach) -> Option<Target> {
        let mut url = self.target.url().clone();
        let path = rest_path(url.path(), self.methods == MethodSet::V1_0, self.tenant.as_deref(), path);
        url.set_path(&path);
        self.target.join(url.as_str(), reach).ok()
    }

    /// Agents of 0.3 and older know no version header, and without one the version is 0.3 (A2A specification 3.6).
    fn versioned(&self, request: Request) -> Request {
        let request = match self.transport {
            Transport::Rpc => request,
            Transport::Rest => request.with_header("accept", "application/a2a+json, application/json"),
        };
        if self.methods == MethodSet::V1_0 { request.with_header("a2a-version", "1.0") } else { request }
    }
}
