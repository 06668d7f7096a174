//! Finds the listings that a message names without an id. Anybody can give a listing any name, so a name only leads to reading:
//! what writes is not executed, and a search stays a search.

use registry_app::App;
use registry_model::ListingId;
use registry_model::error::Problem;
use registry_search::embedding;

use crate::a2a::intent::argument_slots::{ArgumentSlots, Slot};
use crate::a2a::intent::content::MessageContent;
use crate::a2a::intent::parsed_text::{ParsedText, without_possessive};
use crate::a2a::intent::selection::select;
use crate::a2a::intent::words::Word;

/// Names that are sought in the table, and listings of one name that a reply names.
pub(super) const MAX_NAMED: usize = 5;
const MAX_NAME_WORDS: usize = 6;
/// Words of a message among which names are sought.
const MAX_WORDS: usize = 120;
/// A shorter word alone is no name.
const MIN_LETTERS: usize = 4;

/// The message with ids for the URLs of endpoints, unless it means an operation that takes a URL. One endpoint has one listing,
/// so a URL is as certain as an id. To read, also with the id of the only listing whose name looks like an id.
pub(super) async fn with_endpoints(app: &App, message: MessageContent) -> Result<MessageContent, Problem> {
    let ParsedText { urls, ids, .. } = ParsedText::parse(&message.text);
    let takes_url = |entry| ArgumentSlots::of(entry).argument(Slot::Url, 0).is_some();
    let meant = || select(&message, None).operation();
    if let [id] = ids.as_slice()
        && !id.starts_with("agtpub_")
        && let Ok(parsed) = id.parse::<ListingId>()
        && meant().is_some_and(|entry| entry.effect.read_only)
    {
        app.search.load().await?;
        if let [(named, _)] = app.search.listings_named(id).as_slice()
            && app.store.listing(&parsed).await?.is_none()
        {
            return Ok(MessageContent { text: message.text.replace(id, named.as_str()), ..message });
        }
    }
    if urls.is_empty() || !ids.is_empty() || meant().is_none_or(takes_url) {
        return Ok(message);
    }
    let holders = app.store.endpoint_holders(&urls).await?;
    let text = holders.iter().fold(message.text.clone(), |text, (url, id)| text.replace(url, id.as_str()));
    Ok(MessageContent { text, ..message })
}

/// The message also with a name in capital letters or quotes that listings have in the table, also those that are not Live.
pub(super) async fn find_in_table(
    app: &App,
    message: &MessageContent,
) -> Result<Option<MessageContent>, Problem> {
    let parsed = ParsedText::parse(&message.text);
    let is_name = |name: &&String| name.contains(' ') || !embedding::is_ordinary(&name.to_lowercase());
    let (quoted, others) = parsed.names.split_at(parsed.quoted);
    let names = quoted.iter().chain(parsed.capitals.iter().chain(others).filter(is_name));
    // "My agent Rusty Bot STILL fails."
    let first_words = |name: &String| name.rsplit_once(' ').map(|(first, _)| first.to_owned());
    let sought =
        names.flat_map(|name| [Some(name.clone()), first_words(name).filter(|first| first.contains(' '))]);
    let is_known = |name: &String| message.names.iter().any(|(known, _)| known.contains(name.as_str()));
    let sought: Vec<String> = sought.flatten().filter(|name| !is_known(name)).take(MAX_NAMED).collect();
    for name in sought.into_iter().filter(|_| parsed.ids.is_empty() && message.data.is_empty()) {
        let listings = app.store.listings_named(&name).await?;
        if !listings.is_empty() {
            let found = listings.into_iter().map(|listing| (name.clone(), listing.id));
            let names = message.names.iter().cloned().chain(found).collect();
            return Ok(Some(MessageContent { names, ..message.clone() }));
        }
    }
    Ok(None)
}

/// The message with the names in it, each with the ids of the Live listings that have it; `None` if there are none. `loosely`,
/// for a message that lacks a listing: also names in small letters, and first words of names.
pub(super) async fn find(
    app: &App,
    message: &MessageContent,
    loosely: bool,
) -> Result<Option<MessageContent>, Problem> {
    if !message.is_plain_text() {
        return Ok(None);
    }
    app.search.load().await?;
    let parsed = ParsedText::parse(&message.text);
    let words = &parsed.words[..parsed.words.len().min(MAX_WORDS)];
    let (mut names, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let longest = (1..=MAX_NAME_WORDS.min(words.len() - at)).rev();
        let found = longest
            .map(|count| (count, named(app, &parsed.text, &words[at..at + count], loosely)))
            .find(|(_, named)| !named.is_empty());
        let (count, named) = found.unwrap_or((1, Vec::new()));
        at += count;
        // An id says which listing a name means; in "rename {id} to …", the new name may begin with the old one.
        if !named.iter().any(|(_, id)| message.text.contains(id.as_str())) {
            names.extend(named);
        }
    }
    Ok((!names.is_empty()).then(|| MessageContent { names, ..message.clone() }))
}

/// The listings whose name these words are. A name that could be an ordinary part of a sentence, such as `travel agent`, counts
/// only if it is written as the listing writes it, or `loosely`.
fn named(app: &App, text: &str, words: &[Word], loosely: bool) -> Vec<(String, ListingId)> {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return Vec::new() };
    let mut between =
        words.windows(2).map(|pair| text.get(pair[0].at.end..pair[1].at.start).unwrap_or_default());
    let written = without_possessive(text.get(first.at.start..last.at.end).unwrap_or_default());
    if between.any(|between| between.chars().any(char::is_alphanumeric) || between.contains('\n')) {
        return Vec::new();
    }
    let is_distinct =
        words.iter().any(|word| word.low.len() >= MIN_LETTERS && !embedding::is_ordinary(&word.low));
    // The first word of a sentence is always capitalized.
    let is_capital = first.capital && last.capital && (words.len() > 1 || !first.starts_clause);
    let is_meant = |name: &str| name == written && is_capital || is_distinct || loosely && words.len() > 1;
    let named = app.search.listings_named(written).into_iter().filter(|(_, name)| is_meant(name));
    let mut ids: Vec<ListingId> = named.map(|(id, _)| id).collect();
    if ids.is_empty() && loosely && is_distinct {
        ids.extend(app.search.only_beginning_with(written));
    }
    ids.into_iter().map(|id| (written.to_owned(), id)).collect()
}
