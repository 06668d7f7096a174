//! Leaves out what a message says before its question: "I run a platform. Which sign-in does {id} need?"

use crate::a2a::intent::command;
use crate::a2a::intent::content::MessageContent;
use crate::a2a::intent::further_request::opens;
use crate::a2a::intent::matching::{self, CERTAIN};
use crate::a2a::intent::parsed_text::ParsedText;
use crate::a2a::intent::request::{Hold, Intent};
use crate::a2a::intent::words::lists;

/// A shorter question may need what comes before it.
const MIN_WORDS: usize = 4;
/// What such a question would be about.
const REFERS: &str = "it its one ones they them their this that these those any he she so there";

/// The message without the sentences before its request, if the request is certain without them.
pub(super) fn left_out(message: MessageContent) -> MessageContent {
    let Some(start) = start_of_request(&message.text).filter(|_| message.data.is_empty()) else {
        return message;
    };
    let (lead, rest) = message.text.split_at(start);
    let lead = ParsedText::parse(lead);
    let named = lead.ids.len() + lead.urls.len() + lead.names.len() + lead.capitals.len() + lead.tokens.len();
    let says_nothing = !lead.text.contains(':') && command::verdict(&lead.words).is_none();
    let request = MessageContent { text: rest.to_owned(), ..message.clone() };
    if says_nothing && is_certain(&request, named > 0) { request } else { message }
}

/// Where the first sentence begins that asks or requests; `None` if it is the first one.
fn start_of_request(text: &str) -> Option<usize> {
    let words = ParsedText::parse(text).words;
    let sentences: Vec<_> = words.chunk_by(|one, next| one.sentence == next.sentence).collect();
    let ends = sentences.iter().skip(1).map(|next| next[0].at.start).chain([text.len()]);
    let starts = sentences.iter().map(|words| words[0].at.start);
    let mut requests = starts.zip(ends).filter(|(start, end)| {
        let sentence = text.get(*start..*end).unwrap_or_default();
        sentence.contains('?') || opens(sentence)
    });
    requests.next().map(|(start, _)| start).filter(|start| words[0].at.start < *start)
}

/// After a listing was named, only a question about the registry is certain.
fn is_certain(request: &MessageContent, after_a_name: bool) -> bool {
    let (parsed, fields) = request.parse();
    let min = if after_a_name { MIN_WORDS + 2 } else { MIN_WORDS };
    if parsed.words.len() + 2 * parsed.ids.len() < min
        || parsed.words.iter().any(|word| lists(REFERS, &word.low))
    {
        return false;
    }
    match matching::interpret(&parsed, &fields) {
        // What comes before may take back or limit what is to be stored.
        Intent::Run(entry, _) if !entry.effect.read_only => false,
        Intent::Refused(_, Hold::Unrequested) if after_a_name => {
            parsed.ids.is_empty() && parsed.names.is_empty()
        }
        Intent::Run(entry, _) | Intent::Missing(entry, ..) | Intent::Refused(entry, _) => {
            !after_a_name && matching::probability(&parsed, &fields, entry) >= CERTAIN
        }
        intent => matches!(intent, Intent::Greeting),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_question_is_read_without_what_comes_before_it() {
        let id = "agtpub_0123456789abcdef0123";
        let read =
            |text: &str| left_out(MessageContent { text: text.to_owned(), ..MessageContent::default() }).text;
        let question = format!("Which sign-in does {id} need?");
        assert_eq!(read(&format!("I run a platform. {question}")), question);
        // What comes before may take the request back.
        for text in [
            format!("I don't want this yet. Endorse {id} for quick answers"),
            format!("That was a joke. Endorse {id} for quick answers"),
        ] {
            assert_eq!(read(&text), text);
        }
    }
}
