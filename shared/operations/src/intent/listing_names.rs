//! Finds the listings that a message names without an id. A name that could be an ordinary part of a sentence, such as `travel
//! agent`, counts only if it is written as the listing writes it.

use registry_app::App;
use registry_model::ListingId;
use registry_model::error::Problem;
use registry_search::embedding;

use super::MessageContent;
use super::words::{Word, words};

const MAX_NAME_WORDS: usize = 6;
/// Words of a message among which names are sought.
const MAX_WORDS: usize = 120;
/// A shorter word alone is no name.
const MIN_LETTERS: usize = 4;

/// The message with ids for names of listings that only one listing has; `None` if it names none.
pub(super) async fn with_ids(app: &App, message: &MessageContent) -> Result<Option<MessageContent>, Problem> {
    if !message.data.is_empty() || message.text.trim_start().starts_with('{') {
        return Ok(None);
    }
    app.search.load().await?;
    let words: Vec<Word> = words(&message.text).into_iter().take(MAX_WORDS).collect();
    let (mut text, mut end, mut at) = (String::new(), 0, 0);
    while at < words.len() {
        let longest = (1..=MAX_NAME_WORDS.min(words.len() - at)).rev();
        let found =
            longest.filter_map(|count| Some((count, named(app, &message.text, &words[at..at + count])?)));
        let Some((count, id)) = found.into_iter().next() else {
            at += 1;
            continue;
        };
        text.push_str(&message.text[end..words[at].at.start]);
        text.push_str(id.as_str());
        end = words[at + count - 1].at.end;
        at += count;
    }
    text.push_str(&message.text[end..]);
    Ok((end > 0).then(|| MessageContent { text, ..message.clone() }))
}

/// The listing whose name these words are.
fn named(app: &App, text: &str, words: &[Word]) -> Option<ListingId> {
    let (first, last) = (words.first()?, words.last()?);
    if words.iter().skip(1).any(|word| word.starts_clause) {
        return None;
    }
    let written = &text[first.at.start..last.at.end];
    let (id, name) = app.search.only_named(written)?;
    let is_distinct =
        words.iter().any(|word| word.low.len() >= MIN_LETTERS && !embedding::is_ordinary(&word.low));
    let is_capital = words.len() > 1 && first.capital && last.capital;
    (name == written && is_capital || is_distinct).then_some(id)
}
