//! The forms of a listing's name that a search compares: without the owner, as separate words, and as people
//! type it. Indexing and ranking use the same forms.

use super::words::words;

/// The name without its owner, and the owner: `io.github.acme/weather`, `com.acme.weather`, `@acme/weather`.
pub(super) fn name_and_owner(name: &str) -> (&str, &str) {
    let name = name.trim_start_matches('@');
    if let Some((owner, name)) = name.split_once('/') {
        return (name, owner);
    }
    match name.rsplit_once('.') {
        Some((owner, last)) if owner.contains('.') && !name.contains(' ') => (last, owner),
        _ => (name, ""),
    }
}

/// A name as words, without its owner: `acme/cloudWatch-logs` as `cloud Watch logs`.
pub(super) fn display_name(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or_default();
    let mut shown = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for c in name.chars() {
        if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            shown.push(' ');
        }
        shown.push(if c.is_alphanumeric() { c } else { ' ' });
        before = c;
    }
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The letters and digits of a name, without a suffix such as `mcp server`.
pub(super) fn short_name(name: &str) -> String {
    let joined = words(name).concat();
    let suffixes = ["mcpserver", "mcp", "server"];
    let bare = suffixes.iter().find_map(|suffix| joined.strip_suffix(suffix)).filter(|bare| !bare.is_empty());
    bare.map(str::to_owned).unwrap_or(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_name_is_split_into_name_and_owner() {
        assert_eq!(name_and_owner("io.github.acme/weather"), ("weather", "io.github.acme"));
        assert_eq!(name_and_owner("com.acme.weather"), ("weather", "com.acme"));
        assert_eq!(name_and_owner("@acme/weather"), ("weather", "acme"));
        assert_eq!(name_and_owner("weather"), ("weather", ""));
    }

    #[test]
    fn short_names_keep_only_letters_and_digits() {
        assert_eq!(display_name("acme/cloudWatch-logs"), "cloud Watch logs");
        assert_eq!(short_name("Weather MCP Server"), "weather");
        assert_eq!(short_name("MCP"), "mcp");
    }
}
