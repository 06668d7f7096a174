//! What a word is by its form: a URL, a listing id, a token, an e-mail address, a day or a host name.

use crate::a2a::intent::words::lists;
use registry_model::has_public_suffix;

/// Top-level domains that are far more often file name extensions.
const FILE_EXTENSIONS: &str = "cc do java js md ml pl py rs sh so zip";

/// What follows `agent-` or `mcp-` in ordinary words; anything else with such a prefix is a listing id.
const ORDINARY_SUFFIXES: &str = "api based capable card cards client clients compatible directory endpoint endpoints first id like \
    name native powered protocol registry server servers skill skills to-agent tool tools";

pub(super) fn scheme(text: &str) -> Option<usize> {
    let low = text.to_ascii_lowercase();
    [low.find("https://"), low.find("http://")].into_iter().flatten().min()
}

/// The URL at the beginning of a text, without the punctuation of the sentence around it.
pub(super) fn url_of(text: &str) -> &str {
    let stop = |c: char| c.is_whitespace() || "<>\"“”»`|\\。，、；）」".contains(c);
    let mut url = &text[..text.find(stop).unwrap_or(text.len())];
    loop {
        let shorter = url.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', ']', '}']);
        let shorter = match shorter.strip_suffix(')') {
            Some(head) if head.matches('(').count() < shorter.matches(')').count() => head,
            _ => shorter,
        };
        if shorter == url {
            return url;
        }
        url = shorter;
    }
}

/// A chunk without the punctuation around it, and where the rest begins.
pub(super) fn trim_marks(raw: &str) -> (&str, usize) {
    let inner = |c: char| c.is_alphanumeric();
    let from = raw.find(inner).unwrap_or(raw.len());
    let to = raw.rfind(inner).map_or(from, |at| at + raw[at..].chars().next().map_or(1, char::len_utf8));
    let to = if raw[to..].starts_with('/') { to + 1 } else { to };
    (raw.get(from..to).unwrap_or_default(), from)
}

pub(super) fn is_id(text: &str) -> bool {
    let slug = |rest: &str| {
        rest.starts_with(|c: char| c.is_ascii_alphanumeric())
            && rest.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
            && !ORDINARY_SUFFIXES.split(' ').any(|suffix| suffix.eq_ignore_ascii_case(rest))
    };
    match text.split_once(['_', '-']) {
        Some(("agtpub", rest)) => !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_alphanumeric()),
        Some(("agent" | "mcp", rest)) => {
            text.as_bytes().get(text.len() - rest.len() - 1) == Some(&b'-') && slug(rest)
        }
        _ => false,
    }
}

/// `at_…`, or a JWS, whose header is a JSON object.
pub(super) fn is_token(text: &str) -> bool {
    let is_plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    is_plain && text.len() > 12 && (text.starts_with("eyJ") || text.starts_with("at_"))
}

/// Whether a text begins as a day: four digits, two and two.
pub(super) fn is_day(text: &str) -> bool {
    let day = text.bytes().take(10).map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    day.eq(*b"0000-00-00")
}

pub(super) fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(local, domain)| !local.is_empty() && is_host(domain))
}

/// A host name under a public suffix, with or without a path; not a file name.
pub(super) fn is_host(text: &str) -> bool {
    let (host, path) = text.split_once('/').map_or((text, None), |(host, path)| (host, Some(path)));
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    let labels: Vec<&str> = name.split('.').collect();
    let plain =
        |label: &&str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let last = labels.last().copied().unwrap_or_default().to_ascii_lowercase();
    labels.len() >= 2
        && labels.iter().all(plain)
        && last.bytes().all(|b| b.is_ascii_alphabetic())
        && (labels.len() > 2 || path.is_some() || !lists(FILE_EXTENSIONS, &last))
        && has_public_suffix(&name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests;
