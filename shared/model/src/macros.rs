//! Macros for the types that occur often in the model: secrets, validated strings, and enums with fixed values.

/// Defines an enum whose variants are each one fixed word, in documents, keys and the table.
#[macro_export]
macro_rules! string_enum {
    (
        $(#[$meta:meta])*
        $vis:vis enum $Enum:ident { $($(#[$note:meta])* $Variant:ident = $word:literal,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        $vis enum $Enum { $($(#[$note])* #[serde(rename = $word)] $Variant,)+ }

        impl $Enum {
            /// Every variant, in the order of the definition.
            $vis const ALL: [Self; [$($word),+].len()] = [$(Self::$Variant),+];

            /// The word in documents, keys and the table.
            #[must_use]
            $vis const fn as_str(self) -> &'static str {
                match self { $(Self::$Variant => $word),+ }
            }

            /// The variant with this word.
            #[must_use]
            $vis fn named(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|variant| variant.as_str() == word)
            }
        }
    };
}

/// Defines how a checked text is read and written. `$check` returns the text to store, `None` for an invalid one.
macro_rules! text_type {
    ($Type:ident, $Invalid:ident, $message:literal, $check:expr) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
        #[error($message)]
        pub struct $Invalid;

        impl $Type {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $Type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $Type {
            type Error = $Invalid;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                let check: fn(String) -> Option<String> = $check;
                check(text).map(Self).ok_or($Invalid)
            }
        }

        impl std::str::FromStr for $Type {
            type Err = $Invalid;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.to_owned().try_into()
            }
        }

        impl From<$Type> for String {
            fn from(text: $Type) -> Self {
                text.0
            }
        }
    };
}

/// Defines a text that no log and no debug output may contain.
macro_rules! hidden_type {
    ($Type:ident) => {
        impl $Type {
            /// The secret itself, only for the code that uses it or the answer that shows it.
            pub fn reveal(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Debug for $Type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($Type), "(…)"))
            }
        }
    };
}

/// Defines a checked text of that kind.
macro_rules! secret_type {
    ($Type:ident, $Invalid:ident, $message:literal, $check:expr) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
        #[error($message)]
        pub struct $Invalid;

        hidden_type!($Type);

        impl std::str::FromStr for $Type {
            type Err = $Invalid;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let check: fn(&str) -> Option<String> = $check;
                check(text).map(Self).ok_or($Invalid)
            }
        }
    };
}
