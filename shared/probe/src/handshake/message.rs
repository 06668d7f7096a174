//! One A2A message to an agent that proved itself before: by the same requests, limits and guarded fetcher as a probe,
//! so that nobody is called in a way that a probe would not call them.

use std::time::Duration;

use super::a2a;
use super::conversation::Conversation;
use super::findings::Findings;
use registry_fetch::{Fetcher, PROBE, Target};
use registry_model::Random;

#[derive(Clone, Debug)]
pub struct Recipient {
    pub endpoint: Target,
    /// The version of A2A that it spoke.
    pub era: Option<String>,
    pub rest: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The stable code of the failure; `None` if the message was accepted.
    pub failure: Option<String>,
    /// How long the agent asks us to wait.
    pub retry_after: Option<Duration>,
}

/// Sends a text exactly once. No other dialect is tried, because an agent must not receive it twice.
pub async fn send_message(fetcher: &Fetcher, random: &Random, to: &Recipient, text: &str) -> Delivery {
    let mut findings = Findings::default();
    let mut talk = Conversation::new(fetcher, random, &mut findings, PROBE, None);
    let sent = a2a::send_text(&mut talk, to.endpoint.clone(), to.era.as_deref(), to.rest, text).await;
    Delivery { failure: sent.err(), retry_after: findings.into_verdict().retry_after }
}
