//! Reads settings from environment variables. The call that reads a setting is its only definition: name, default, accepted
//! values and meaning. The table of settings in `infra/README.md` is generated from these calls.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::str::FromStr as _;

use registry_model::Secret;

/// An environment variable with an invalid value.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid setting {name}={value:?}: set it to {allowed}")]
pub struct SettingError {
    pub name: &'static str,
    /// Its value; a secret is not shown.
    pub value: String,
    pub allowed: String,
}

/// What the table of settings shows of a setting.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) name: &'static str,
    default: String,
    meaning: &'static str,
    /// Of a number.
    pub(super) range: Option<RangeInclusive<u32>>,
    pub(super) is_secret: bool,
}

/// Reads single variables; an empty value counts as absent.
pub(super) struct Reader<'a> {
    lookup: &'a dyn Fn(&str) -> Option<String>,
    /// The entries of the variable `SETTINGS` that are not read yet.
    entries: BTreeMap<String, String>,
    /// The settings that are read, in this order.
    pub(super) definitions: Vec<Definition>,
}

/// The variable that contains several settings.
const SETTINGS: &str = "SETTINGS";

impl<'a> Reader<'a> {
    /// # Errors
    /// `SETTINGS` contains a name twice or without a value.
    pub(super) fn new(lookup: &'a dyn Fn(&str) -> Option<String>) -> Result<Self, SettingError> {
        let mut entries = BTreeMap::new();
        let text = lookup(SETTINGS).unwrap_or_default();
        for entry in text.split([';', '\n']).map(str::trim).filter(|entry| !entry.is_empty()) {
            let (name, value) = entry.split_once('=').unwrap_or((entry, ""));
            let (name, value) = (name.trim(), value.trim());
            if value.is_empty() || entries.insert(name.to_owned(), value.to_owned()).is_some() {
                return Err(invalid_entry(name));
            }
        }
        Ok(Self { lookup, entries, definitions: Vec::new() })
    }

    pub(super) fn number(
        &mut self,
        name: &'static str,
        default: u32,
        range: RangeInclusive<u32>,
        meaning: &'static str,
    ) -> Result<u32, SettingError> {
        self.define(name, &default.to_string(), meaning).range = Some(range.clone());
        let Some(value) = self.value(name)? else { return Ok(default) };
        u32::from_str(&value).ok().filter(|number| range.contains(number)).ok_or_else(|| {
            let allowed = format!("a whole number from {} to {}", range.start(), range.end());
            SettingError { name, value, allowed }
        })
    }

    /// `parse` gets the value or the default.
    pub(super) fn text<T>(
        &mut self,
        name: &'static str,
        default: &str,
        allowed: &str,
        meaning: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, SettingError> {
        self.define(name, default, meaning);
        let value = self.value(name)?.unwrap_or_else(|| default.to_owned());
        parsed(name, value, allowed, parse)
    }

    /// A setting without a default.
    pub(super) fn optional<T>(
        &mut self,
        name: &'static str,
        allowed: &str,
        meaning: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, SettingError> {
        self.define(name, "", meaning);
        self.value(name)?.map(|value| parsed(name, value, allowed, parse)).transpose()
    }

    /// What a deployment sets for each function: never an entry of `SETTINGS`.
    pub(super) fn deployed<T>(
        &mut self,
        name: &'static str,
        default: &str,
        allowed: &str,
        meaning: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, SettingError> {
        self.define(name, default, meaning);
        let value = self.variable(name).unwrap_or_else(|| default.to_owned());
        parsed(name, value, allowed, parse)
    }

    /// A secret is never an entry of `SETTINGS`: anyone who may read the configuration of a function can read its variables.
    /// An error does not show its value.
    pub(super) fn secret(
        &mut self,
        name: &'static str,
        allowed: &str,
        meaning: &'static str,
        is_valid: impl FnOnce(&str) -> bool,
    ) -> Result<Option<Secret>, SettingError> {
        self.define(name, "", meaning).is_secret = true;
        let Some(text) = self.variable(name) else { return Ok(None) };
        if is_valid(&text) && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(Some(Secret::new(text)));
        }
        Err(SettingError { name, value: "(not shown)".to_owned(), allowed: allowed.to_owned() })
    }

    /// A variable that the local binary or the logger reads.
    pub(super) fn elsewhere(&mut self, name: &'static str, default: &str, meaning: &'static str) {
        self.define(name, default, meaning);
    }

    /// # Errors
    /// `SETTINGS` contains an entry that was not read.
    pub(super) fn finish(&mut self) -> Result<(), SettingError> {
        self.define(
            SETTINGS,
            "",
            "several settings in one variable, as `NAME=VALUE` pairs, separated by semicolons or line ends, such as \
                `RECHECK_DAYS=5;PUBLISH_PER_HOUR=20`; without secrets. On AWS, set the parameter `Settings`",
        );
        self.entries.first_key_value().map_or(Ok(()), |(name, _)| Err(invalid_entry(name)))
    }

    fn define(&mut self, name: &'static str, default: &str, meaning: &'static str) -> &mut Definition {
        let default = default.to_owned();
        self.definitions.push_mut(Definition { name, default, meaning, range: None, is_secret: false })
    }

    /// The value of the variable, or of the entry in `SETTINGS`.
    fn value(&mut self, name: &'static str) -> Result<Option<String>, SettingError> {
        let variable = self.variable(name);
        match self.entries.remove(name) {
            Some(_) if variable.is_some() => Err(invalid_entry(name)),
            Some(entry) => Ok(Some(entry)),
            None => Ok(variable),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        (self.lookup)(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

fn parsed<T>(
    name: &'static str,
    value: String,
    allowed: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, SettingError> {
    parse(&value).ok_or_else(|| SettingError { name, value, allowed: allowed.to_owned() })
}

/// The error contains only the name, because the value could be a secret.
fn invalid_entry(name: &str) -> SettingError {
    let allowed = "`NAME=VALUE` pairs, separated by semicolons or line ends; each name is a setting, occurs once and has no \
        variable of its own; secrets and what the deployment sets (such as `BASE_URL`) are not allowed";
    SettingError { name: SETTINGS, value: name.to_owned(), allowed: allowed.to_owned() }
}

pub(super) fn table(definitions: &[Definition]) -> String {
    let mut table = "| variable | default | meaning |\n|---|---|---|\n".to_owned();
    for Definition { name, default, meaning, .. } in definitions {
        let default = if default.is_empty() { "none".to_owned() } else { format!("`{default}`") };
        let _ = writeln!(table, "| `{name}` | {default} | {meaning} |");
    }
    table
}
