//! Checks a key that a caller makes up and keeps secret, such as an idempotency key. Whoever guesses the key gets
//! what belongs to its owner. So the form must allow at least 128 random bits.

use std::collections::HashSet;

/// The rule in words, for documents and errors.
pub const RULE: &str = "a UUID of version 4, 32 to 200 hexadecimal digits, or 22 to 200 characters of base64url \
                        that contain upper and lower case letters";

pub const MAX_CHARS: usize = 200;

/// Whether a key has one of the forms of [`RULE`]. Words, sequences, repetitions and ids of this registry have none.
pub fn is_hard_to_guess(key: &str) -> bool {
    let letters: Vec<u8> = key.bytes().filter(u8::is_ascii_alphanumeric).collect();
    let kinds = letters.iter().collect::<HashSet<_>>().len();
    key.len() <= MAX_CHARS
        && !is_regular(&letters)
        && ((kinds >= 8 && (is_uuid_v4(key) || is_hex(key))) || (kinds >= 12 && is_base64(key)))
}

/// RFC 9562 §5.4: the only version whose other bits are all random.
fn is_uuid_v4(key: &str) -> bool {
    let fits = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        14 => byte == b'4',
        19 => matches!(byte.to_ascii_lowercase(), b'8' | b'9' | b'a' | b'b'),
        _ => byte.is_ascii_hexdigit(),
    };
    key.len() == 36 && key.bytes().enumerate().all(fits)
}

fn is_hex(key: &str) -> bool {
    key.len() >= 32
        && key.bytes().all(|byte| byte.is_ascii_hexdigit())
        && key.bytes().any(|byte| byte.is_ascii_alphabetic())
        && key.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_base64(key: &str) -> bool {
    let key = key.trim_end_matches('=');
    let is_sign = |byte: u8| matches!(byte, b'-' | b'_' | b'+' | b'/');
    key.len() >= 22
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || is_sign(byte))
        && key.bytes().any(|byte| byte.is_ascii_uppercase())
        && key.bytes().any(|byte| byte.is_ascii_lowercase())
        && !is_words(key)
}

/// Every part is a word of at least three letters: `word`, `WORD` or `Word`.
fn is_words(key: &str) -> bool {
    let is_word = |word: &str| {
        let (first, rest) = word.split_at(1);
        let same = |is: fn(&u8) -> bool| rest.bytes().all(|byte| is(&byte));
        word.len() >= 3
            && (same(u8::is_ascii_lowercase)
                || (first.bytes().all(|byte| byte.is_ascii_uppercase()) && same(u8::is_ascii_uppercase)))
    };
    let mut spaced = String::new();
    let mut before = b' ';
    for byte in key.bytes() {
        if before.is_ascii_lowercase() && byte.is_ascii_uppercase() {
            spaced.push(' ');
        }
        spaced.push(if byte.is_ascii_alphabetic() { char::from(byte) } else { ' ' });
        before = byte;
    }
    spaced.split_whitespace().all(is_word)
}

/// More than half of the neighbors are equal or follow each other, or the key repeats a part.
fn is_regular(letters: &[u8]) -> bool {
    let close = letters.windows(2).filter(|pair| matches!(pair, [a, b] if a.abs_diff(*b) <= 1)).count();
    let repeats = |period: usize| letters.iter().zip(letters.iter().skip(period)).all(|(a, b)| a == b);
    close * 2 > letters.len() || (1..=letters.len() / 2).any(repeats)
}

#[cfg(test)]
mod tests;
