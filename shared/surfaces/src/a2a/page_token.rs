//! Page tokens of the task list: the sort key of the last row in hexadecimal. Clients must not rely on its
//! content, and a token that this registry did not create must not reach the store.

use super::TaskError;
use super::id::MAX_ID_LENGTH;

/// The longest sort key of a row, in bytes: a time, `#`, and an id of at most four bytes a character.
const LONGEST: usize = 13 + 1 + 4 * MAX_ID_LENGTH;

/// The token of the page after the row with this sort key.
#[must_use]
pub fn encode(sort_key: &str) -> String {
    sort_key.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// The sort key that [`encode`] made a token of.
///
/// # Errors
/// [`TaskError::InvalidPageToken`]: this registry did not issue it.
pub fn decode(token: &str) -> Result<String, TaskError> {
    let digits: Option<Vec<u8>> = token
        .as_bytes()
        .chunks(2)
        .map(|pair| {
            u8::from_str_radix(std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?, 16).ok()
        })
        .collect();
    digits
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .filter(|sort_key| sort_key.len() <= LONGEST && starts_with_a_time(sort_key))
        // A number may also be read from `+1`, and from capitals.
        .filter(|sort_key| encode(sort_key) == token)
        .ok_or(TaskError::InvalidPageToken)
}

fn starts_with_a_time(sort_key: &str) -> bool {
    sort_key
        .split_once('#')
        .is_some_and(|(time, _)| time.len() == 13 && time.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_tokens_are_decoded() {
        let at = "1795176000000#abc/ü";
        assert_eq!(decode(&encode(at)), Ok(at.to_owned()));
        assert!(decode(&encode(&format!("1795176000000#{}", "\u{1f600}".repeat(MAX_ID_LENGTH)))).is_ok());
        let long = encode(&format!("1795176000000#{}", "x".repeat(1100)));
        assert_eq!(decode(&long), Err(TaskError::InvalidPageToken), "longer than any key");
        let signed = format!("{}+9", encode("1795176000000#a"));
        let capitals = encode("1795176000000#j").to_uppercase();
        for wrong in [signed.as_str(), &capitals] {
            assert_eq!(decode(wrong), Err(TaskError::InvalidPageToken), "{wrong}");
        }
        for wrong in ["zz", "1", "", "é", "abcd", &encode("1795176000000"), &encode("17951760000x0#a")] {
            assert_eq!(decode(wrong), Err(TaskError::InvalidPageToken), "{wrong}");
        }
    }
}
