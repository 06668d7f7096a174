//! One A2A message to an agent that proved itself before: by the same requests, limits and guarded fetcher as a probe,
//! so that nobody is called in a way that a probe would not call them.

use std::time::Duration;

use super::a2a;
use super::conversation::Conversation;
use super::findings::Findings;
use registry_fetch::{Fetcher, PROBE, Target};
use registry_model::Random;

/// Whom a message is for, as its last proof says.
#[derive(Clone, Debug)]
pub struct Recipient {
    /// The endpoint that answered.
    pub endpoint: Target,
    /// The version of A2A that it spoke.
    pub era: Option<String>,
    /// It answered by REST and not by JSON-RPC.
    pub rest: bool,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The stable code of why it was not taken; `None` where it was.
    pub failure: Option<String>,
    /// How long the agent asks to be left alone, if it does.
    pub retry_after: Option<Duration>,
}

/// Sends a text, once: no other dialect is tried, since an agent must not get it twice.
pub async fn send_message(fetcher: &Fetcher, random: &Random, to: &Recipient, text: &str) -> Delivery {
    let mut findings = Findings::default();
    let mut talk = Conversation::new(fetcher, random, &mut findings, PROBE, None);
    let sent = a2a::send_text(&mut talk, to.endpoint.clone(), to.era.as_deref(), to.rest, text).await;
    Delivery { failure: sent.err(), retry_after: findings.into_verdict().retry_after }
}
