//! Base 58 as multibase writes it (`z`, the Bitcoin alphabet), which keys in DIDs are written in.

const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// The most digits that are read: a key has fewer than fifty.
const MOST: usize = 100;

/// The bytes that a text stands for; `None` where it is not base 58, or too long for a key.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    if text.len() > MOST {
        return None;
    }
    let mut bytes: Vec<u8> = Vec::new();
    for c in text.bytes() {
        let mut carry = ALPHABET.iter().position(|known| *known == c)?;
        for byte in bytes.iter_mut().rev() {
            carry += usize::from(*byte) * 58;
            *byte = u8::try_from(carry % 256).ok()?;
            carry /= 256;
        }
        while carry > 0 {
            bytes.insert(0, u8::try_from(carry % 256).ok()?);
            carry /= 256;
        }
    }
    let zeros = text.bytes().take_while(|c| *c == b'1').count();
    bytes.splice(0..0, std::iter::repeat_n(0, zeros));
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::decode;

    /// The examples of draft-msporny-base58-03, section 5.
    #[test]
    fn texts_are_read_as_the_draft_reads_them() {
        assert_eq!(decode("2NEpo7TZRRrLZSi2U").as_deref(), Some(&b"Hello World!"[..]));
        assert_eq!(decode("11233QC4"), Some(vec![0, 0, 0x28, 0x7f, 0xb4, 0xcd]));
        assert_eq!((decode("0OIl"), decode(&"z".repeat(101))), (None, None));
        assert_eq!(decode(""), Some(Vec::new()));
    }
}
