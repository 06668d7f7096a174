//! Finds secrets and the contact data of people in a text, because public texts must not contain them. The
//! patterns are not exact: they may refuse a harmless address, and they may miss a phone number, because
//! prices, dates, and versions are numbers, too.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{NoExpand, Regex};
use registry_model::characters::is_invisible;
use unicode_normalization::UnicodeNormalization as _;

/// An e-mail address: a name, an at sign, and a domain that ends in letters, or an address literal.
const EMAIL: &str = r"[\p{L}\p{N}._%+'!#$&*/=?^`{|}~-]+@(?:\[[^\]\s]*\]?|(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+(?:xn--[a-z0-9-]+|\p{L}{2,}))";

/// A spelled at sign: `jane [at] example.org`.
const SPELLED_AT: &str = r"(?i)\s*(?:[\[({<]\s*at\s*[\])}>]|%40|&#0*64;|&#x0*40;|&commat;)\s*";

/// A spelled dot: `example [dot] org`.
const SPELLED_DOT: &str = r"(?i)\s*[\[({<]\s*dot\s*[\])}>]\s*";

/// An address with a spelled at sign or dot.
const SPELLED_EMAIL: &str = r"(?i)[\p{L}\p{N}._%+-]+(?:@|＠|\s*[\[({<]\s*at\s*[\])}>]\s*|%40|&#0*64;|&#x0*40;|&commat;)[\p{L}\p{N}-]+(?:(?:\.|\s*[\[({<]\s*dot\s*[\])}>]\s*)[\p{L}\p{N}-]+)+";

/// The usual forms of phone numbers.
const PHONES: [&str; 5] = [
    // +49 30 1234567, 0049 (0)30 123 45 67
    r"(?:^|[^\w.,:/=-])(?:\+|00)[\s(]*\d(?:[\s().\-/]*\d){7,14}",
    // (030) 123 45 67
    r"\(0\d{1,5}\)[\s/-]*\d(?:[\s-]?\d){4,9}",
    // 030 1234567, 0171-123 4567
    r"(?:^|[^\w.,:/=+-])0\d{2,5}[\s/-]\d(?:[\s-]?\d){4,9}(?:$|[^\w:])",
    // 555-123-4567, (555) 123-4567
    r"(?:^|[^\w.,:/=-])\(?\d{3}\)?[\s.-]\d{3}[\s.-]\d{4}(?:$|[^\w-])",
    // tel:5551234567, WhatsApp: 555 1234 567
    r"(?i)(?-u:\b)(?:tel|telephone|phone|mobile|fax|whatsapp|signal|sms)(?-u:\b)[^\w\n]{0,6}\d(?:[\s().\-/]*\d){6,14}",
];

/// Tokens of this registry, and common kinds of leaked keys.
const SECRETS: [&str; 6] = [
    r"(?-u:\b)at_[A-Za-z0-9_-]{43}",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    r"(?-u:\b)(?:sk|rk)[-_](?:ant-|proj-|live_|test_)?[A-Za-z0-9_-]{24,}",
    r"(?-u:\b)(?:ghp|gho|ghs|ghu|ghr)_[A-Za-z0-9]{36}|(?-u:\b)github_pat_[A-Za-z0-9_]{40,}",
    r"(?-u:\b)A(?:KIA|SIA)[0-9A-Z]{16}(?-u:\b)",
    r"(?-u:\b)eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
];

/// Whether a text contains an e-mail address, even with a spelled or full-width at sign.
pub fn has_email_address(text: &str) -> bool {
    static PATTERNS: LazyLock<[Regex; 3]> = LazyLock::new(|| [EMAIL, SPELLED_AT, SPELLED_DOT].map(pattern));
    let [email, at, dot] = &*PATTERNS;
    // Full-width forms look the same to a reader, and invisible characters are not seen.
    let seen: String = text.nfkc().filter(|c| !is_invisible(*c)).collect();
    let spelled = at.replace_all(&seen, "@");
    email.is_match(&seen) || email.is_match(&dot.replace_all(&spelled, "."))
}

/// Replaces the e-mail addresses in a text. If an address cannot be found exactly, the whole text is replaced.
pub fn without_email_addresses<'a>(text: &'a str, replacement: &'a str) -> Cow<'a, str> {
    static PATTERNS: LazyLock<[Regex; 2]> = LazyLock::new(|| [EMAIL, SPELLED_EMAIL].map(pattern));
    if !has_email_address(text) {
        return Cow::Borrowed(text);
    }
    let [email, spelled] = &*PATTERNS;
    let kept = email.replace_all(text, NoExpand(replacement));
    let kept = spelled.replace_all(&kept, NoExpand(replacement));
    if has_email_address(&kept) { Cow::Borrowed(replacement) } else { Cow::Owned(kept.into_owned()) }
}

/// Replaces e-mail addresses, secrets and phone numbers, for a reader to whom the text was not addressed.
pub fn without_personal_data(text: &str) -> String {
    const REMOVED: &str = "[removed]";
    static PATTERNS: LazyLock<[Regex; 2]> =
        LazyLock::new(|| [PHONES.join("|"), SECRETS.join("|")].map(|text| pattern(&text)));
    let seen: String = text.nfkc().collect();
    let kept = without_email_addresses(&seen, REMOVED);
    PATTERNS
        .iter()
        .fold(kept.into_owned(), |kept, found| found.replace_all(&kept, NoExpand(REMOVED)).into_owned())
}

pub(super) fn has_phone_number(text: &str) -> bool {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| pattern(&PHONES.join("|")));
    let seen: String = text.nfkc().collect();
    PATTERN.is_match(&seen)
}

/// Whether a text contains a token or a key of a known form.
pub fn has_secret(text: &str) -> bool {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| pattern(&SECRETS.join("|")));
    PATTERN.is_match(text)
}

#[expect(clippy::expect_used, reason = "literal patterns, compiled by the tests")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a literal pattern")
}

#[cfg(test)]
mod tests;
