//! A secret of the environment: a key or a password that an operator gave. Its own type, so that no log and no debug
//! output of the settings can hold one by accident.

use std::fmt;

/// A secret that is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a secret in.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The secret itself, for the one place that uses it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_is_never_printed() {
        assert_eq!(format!("{:?}", Some(Secret::new("hidden".to_owned()))), "Some(Secret(…))");
    }
}
