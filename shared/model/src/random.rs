//! The source of random numbers of an `App`: the operating system, or a seeded sequence for tests.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Debug, Default)]
pub enum Random {
    #[default]
    System,
    /// A reproducible sequence (`SplitMix64`); never used outside tests.
    Seeded(Arc<AtomicU64>),
}

impl Random {
    pub fn seeded(seed: u64) -> Self {
        Self::Seeded(Arc::new(AtomicU64::new(seed)))
    }

    #[expect(clippy::expect_used, reason = "stop rather than make ids and keys that can be guessed")]
    pub fn number(&self) -> u64 {
        match self {
            Self::System => getrandom::u64().expect("the operating system gives random bytes"),
            Self::Seeded(state) => {
                let mut z = state
                    .fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::SeqCst)
                    .wrapping_add(0x9E37_79B9_7F4A_7C15);
                z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                z ^ (z >> 31)
            }
        }
    }

    /// A number below `limit` (0 where `limit` is 0).
    pub fn below(&self, limit: u64) -> u64 {
        self.number().checked_rem(limit).unwrap_or(0)
    }

    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.number().to_be_bytes()[..chunk.len()]);
        }
        bytes
    }

    pub fn hex(&self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes * 2 + 16);
        while text.len() < bytes * 2 {
            let _ = write!(text, "{:016x}", self.number());
        }
        text.truncate(bytes * 2);
        text
    }
}
