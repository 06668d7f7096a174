//! Finds the listings that a message names without an id. Anybody can give a listing any name, so a name only leads to reading:
//! what writes is held, and a search stays a search.

use registry_app::App;
use registry_model::ListingId;
use registry_model::error::Problem;
use registry_search::embedding;

use super::MessageContent;
use super::parsed_text::ParsedText;
use super::words::Word;

const MAX_NAME_WORDS: usize = 6;
/// Words of a message among which names are sought.
const MAX_WORDS: usize = 120;
/// A shorter word alone is no name.
const MIN_LETTERS: usize = 4;

/// The message with the names in it that only one listing has, each with its id; `None` if there are none.
pub(super) async fn found(app: &App, message: &MessageContent) -> Result<Option<MessageContent>, Problem> {
    names(app, message, false).await
}

/// As [`found`], for a message that lacks a listing: also names in small letters, first words of names, and URLs of
/// endpoints, whose ids replace them.
pub(super) async fn found_loosely(
    app: &App,
    message: &MessageContent,
) -> Result<Option<MessageContent>, Problem> {
    let urls = ParsedText::parse(&message.text).urls;
    let holders = app.store.endpoint_holders(&urls).await?;
    let Some((url, id)) = urls.iter().find_map(|url| Some((url, holders.get(url)?))) else {
        return names(app, message, true).await;
    };
    let text = message.text.replace(url.as_str(), id.as_str());
    // One endpoint has one listing, so a URL is as certain as an id.
    Ok(Some(MessageContent { text, ..message.clone() }))
}

async fn names(
    app: &App,
    message: &MessageContent,
    loosely: bool,
) -> Result<Option<MessageContent>, Problem> {
    if !message.data.is_empty() || message.text.trim_start().starts_with('{') {
        return Ok(None);
    }
    app.search.load().await?;
    let parsed = ParsedText::parse(&message.text);
    let words = &parsed.words[..parsed.words.len().min(MAX_WORDS)];
    let (mut names, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let longest = (1..=MAX_NAME_WORDS.min(words.len() - at)).rev();
        let name = longest
            .filter_map(|count| Some((count, named(app, &parsed.text, &words[at..at + count], loosely)?)))
            .next();
        at += name.as_ref().map_or(1, |(count, _)| *count);
        names.extend(name.map(|(_, name)| name));
    }
    Ok((!names.is_empty()).then(|| MessageContent { names, ..message.clone() }))
}

/// The listing whose name these words are. A name that could be an ordinary part of a sentence, such as `travel agent`, counts
/// only if it is written as the listing writes it, or `loosely`.
fn named(app: &App, text: &str, words: &[Word], loosely: bool) -> Option<(String, ListingId)> {
    let (first, last) = (words.first()?, words.last()?);
    let between = words.windows(2).map(|pair| text.get(pair[0].at.end..pair[1].at.start).unwrap_or_default());
    if between.into_iter().any(|between| between.chars().any(char::is_alphanumeric) || between.contains('\n'))
    {
        return None;
    }
    let written = text.get(first.at.start..last.at.end)?;
    let is_distinct =
        words.iter().any(|word| word.low.len() >= MIN_LETTERS && !embedding::is_ordinary(&word.low));
    let Some((id, name)) = app.search.only_named(written) else {
        let id = app.search.only_beginning_with(written).filter(|_| loosely && is_distinct)?;
        return Some((written.to_owned(), id));
    };
    let is_capital = words.len() > 1 && first.capital && last.capital;
    (name == written && is_capital || is_distinct || loosely && words.len() > 1)
        .then(|| (written.to_owned(), id))
}
