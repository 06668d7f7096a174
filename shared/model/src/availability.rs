//! How a listing can be used, and which listings a list or a search contains.

use super::Access;

/// How lists and searches show a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Availability {
    pub is_live: bool,
    /// Never [`Access::All`].
    pub access: Access,
}

impl Availability {
    /// Live, without a sign-in.
    pub const OPEN: Self = Self { is_live: true, access: Access::Open };
}

/// Which listings a list or a search contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Listed {
    /// The default: the Live listings.
    #[default]
    Live,
    /// Those with this access.
    With(Access),
    /// All that have a URL: Live or gated.
    Remote,
}

impl Listed {
    pub fn admits(self, shown: Availability) -> bool {
        match self {
            Self::Live => shown.is_live,
            Self::Remote => shown.access != Access::Package,
            Self::With(Access::All) => true,
            Self::With(access) => shown.access == access,
        }
    }
}

impl From<Option<Access>> for Listed {
    fn from(access: Option<Access>) -> Self {
        access.map_or(Self::Live, Self::With)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_lists_live_listings_and_open_only_those_without_a_sign_in() {
        let all = [
            Availability::OPEN,
            Availability { is_live: true, access: Access::Gated },
            Availability { is_live: false, access: Access::Gated },
            Availability { is_live: false, access: Access::Package },
        ];
        let admitted = |listed: Listed| all.map(|shown| listed.admits(shown));
        assert_eq!(admitted(None.into()), [true, true, false, false]);
        assert_eq!(admitted(Some(Access::Open).into()), [true, false, false, false]);
        assert_eq!(admitted(Some(Access::Gated).into()), [false, true, true, false]);
        assert_eq!(admitted(Some(Access::Package).into()), [false, false, false, true]);
        assert_eq!(admitted(Some(Access::All).into()), [true; 4]);
        assert_eq!(admitted(Listed::Remote), [true, true, true, false]);
    }
}
