//! Divides all listings into parts by the first bits of a hash over the listing id. The buckets of the search
//! index and the parts of a recheck use these prefixes.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use super::ListingId;

/// All ids whose hash begins with these bits. The default, of length 0, contains every id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HashPrefix {
    bits: u64,
    length: u8,
}

impl HashPrefix {
    pub fn matches(self, id: &ListingId) -> bool {
        self.covers(id_hash(id))
    }

    pub const fn covers(self, hash: u64) -> bool {
        self.length == 0 || hash >> (BITS - self.length) == self.bits
    }

    /// Whether every id with the prefix `other` has this prefix, too.
    pub const fn contains(self, other: Self) -> bool {
        other.length >= self.length
            && (self.length == 0 || other.bits >> (other.length - self.length) == self.bits)
    }

    /// The number of bits. Each additional bit halves the number of ids with the prefix.
    pub const fn length(self) -> u8 {
        self.length
    }

    /// The two prefixes that are one bit longer and contain the same ids. `None` if the prefix has all bits of the hash.
    #[must_use]
    pub fn halves(self) -> Option<[Self; 2]> {
        let length = self.length + 1;
        (length <= BITS).then(|| [0, 1].map(|bit| Self { bits: (self.bits << 1) | bit, length }))
    }
}

impl fmt::Display for HashPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}-{:08x}", self.length, self.bits)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a hash prefix; a hash prefix is <length>-<bits in hexadecimal>")]
pub struct InvalidHashPrefix;

impl FromStr for HashPrefix {
    type Err = InvalidHashPrefix;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (length, bits) = text.split_once('-').ok_or(InvalidHashPrefix)?;
        let length: u8 = length.parse().map_err(|_| InvalidHashPrefix)?;
        let bits = u64::from_str_radix(bits, 16).map_err(|_| InvalidHashPrefix)?;
        let fits = length <= BITS && (length == BITS || bits < 1 << length);
        if fits { Ok(Self { bits, length }) } else { Err(InvalidHashPrefix) }
    }
}

/// Bits of a hash. Anybody can make ids whose hashes begin with the same 32 bits, and with enough of them a bucket of the
/// search index would overflow. More than a few ids with the same 64 bits cost too much.
const BITS: u8 = 64;

pub fn id_hash(id: &ListingId) -> u64 {
    let digest: [u8; 32] = Sha256::digest(id.as_str()).into();
    digest.first_chunk().map_or(0, |head| u64::from_be_bytes(*head))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both forms are keys in the table: changing them would lose the stored index.
    #[test]
    fn prefixes_used_as_stored_keys_do_not_change() {
        let id: ListingId = "mcp-a".parse().unwrap();
        let [low, high] = HashPrefix::default().halves().unwrap();
        assert_eq!(
            [HashPrefix::default(), low, high].map(|prefix| prefix.to_string()),
            ["00-00000000", "01-00000000", "01-00000001"]
        );
        assert_eq!(format!("{:08x}", id_hash(&id) >> 32), "dd3a7e4b");
    }

    #[test]
    fn invalid_hash_prefixes_are_refused() {
        for text in ["", "00", "65-00000000", "01-00000002", "x-0", "01-zz"] {
            assert_eq!(text.parse::<HashPrefix>(), Err(InvalidHashPrefix), "{text}");
        }
        for deep in ["12-00000abc", "40-dd3a7e4b01", "64-ffffffffffffffff"] {
            assert_eq!(deep.parse::<HashPrefix>().unwrap().to_string(), deep);
        }
    }
}
