//! A reply, and where its text can be extended.

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A read, successful or not; nothing has changed.
    Read,
    Done,
    /// A write was attempted and refused.
    Failed,
    /// The reply is a question for a missing argument.
    Asked,
    /// The reply explains the available operations.
    Explained,
    /// The operation does not exist.
    Declined,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub outcome: Outcome,
    /// Its text without `suggestion` and `next_step`. The text is these three, one after the other.
    pub text: String,
    /// A message that the caller can send instead, and what follows it.
    pub suggestion: String,
    /// The step that follows, in words; empty if none does. It is the end of the text, so that a client can find it.
    pub next_step: String,
    /// Whether the text says that the data is shortened, and how to get all of it.
    pub(super) is_shortened: bool,
    /// The answer as data: `{executed, operation, arguments, result, ok, next}`. `next` is the call that follows from
    /// the latest known state.
    pub data: Value,
}

impl Reply {
    pub(super) fn new(outcome: Outcome, text: String, data: Value) -> Self {
        let (suggestion, next_step) = (String::new(), String::new());
        Self { outcome, text, suggestion, next_step, is_shortened: false, data }
    }

    pub fn whole_text(&self) -> String {
        [self.text.as_str(), &self.suggestion, &self.next_step].concat()
    }

    /// The number of bytes of the text.
    pub(super) const fn text_len(&self) -> usize {
        self.text.len() + self.suggestion.len() + self.next_step.len()
    }

    /// Adds a sentence before the next step.
    pub(super) fn add(&mut self, sentence: &str) {
        let part = if self.suggestion.is_empty() { &mut self.text } else { &mut self.suggestion };
        part.push_str(sentence);
    }
}
