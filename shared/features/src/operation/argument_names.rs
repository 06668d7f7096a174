//! The names of the arguments of an operation. A tool call with an unknown name is refused: ignored, it would give an answer to
//! another question.

use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde_json::{Map, Value};

use super::Description;
use registry_model::error::{Code, Problem, shorten};

/// Longer names get no advice.
const MAX_COMPARED: usize = 60;

/// The names of the fields of `T`, with their aliases. `None` if `T` is no plain struct: then all names are accepted.
pub(crate) fn of<T: DeserializeOwned>() -> Option<&'static [&'static str]> {
    let mut names = None;
    // The error ends the reading after the names were noted.
    let _noted = T::deserialize(Recorder(&mut names));
    names
}

/// Notes the names of the fields that are wanted, and fails.
struct Recorder<'a>(&'a mut Option<&'static [&'static str]>);

impl<'de> Deserializer<'de> for Recorder<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("only the names are wanted"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = Some(fields);
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl Description {
    pub fn unknown<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        let Some(known) = (self.argument_names)() else { return Vec::new() };
        names.filter(|name| !known.contains(name)).collect()
    }

    /// The names without the aliases.
    fn shown_names(&self) -> Vec<String> {
        let schema = (self.input_schema)();
        schema["properties"].as_object().into_iter().flat_map(Map::keys).cloned().collect()
    }

    /// The body of a `next` also names the action of this operation.
    ///
    /// # Errors
    /// 422: an argument is unknown. The error contains the most similar name.
    pub fn check_names(&self, arguments: &Map<String, Value>) -> Result<(), Problem> {
        let is_own = |action: &Value| self.actions.iter().any(|own| action == own.name);
        let others = arguments.iter().filter(|(name, value)| *name != "action" || !is_own(value));
        let Some(&unknown) = self.unknown(others.map(|(name, _)| name.as_str())).first() else {
            return Ok(());
        };
        let known = (self.argument_names)().unwrap_or_default();
        // The comparison takes time with the square of the length.
        let comparable = known.iter().filter(|_| unknown.len() <= MAX_COMPARED);
        let nearest = comparable
            .max_by(|a, b| strsim::jaro_winkler(unknown, a).total_cmp(&strsim::jaro_winkler(unknown, b)));
        let shown = shorten(unknown, MAX_COMPARED);
        let own = self.shown_names().join(", ");
        let advice = match nearest.filter(|nearest| strsim::jaro_winkler(unknown, nearest) > 0.8) {
            Some(nearest) => format!("Did you mean `{nearest}`?"),
            None if own.is_empty() => "It has no arguments of its own.".to_owned(),
            None => format!("Its own arguments: {own}."),
        };
        let detail = format!("`{}` has no argument `{shown}`. {advice}", self.name);
        Err(Problem::invalid(shown, Code::UnknownArgument, detail))
    }
}

#[cfg(test)]
mod tests;
