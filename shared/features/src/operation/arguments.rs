//! The arguments of operations: parses them from a query string or a JSON value, checks their names, and checks those that
//! several operations have in common. An error contains the name of the field and the accepted values.

use std::fmt::Display;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::value::{BorrowedStrDeserializer, Error, MapDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde_json::{Map, Number, Value};

use super::Description;
use registry_formats::argument_text;
use registry_formats::public_text::public_text;
use registry_model::error::{Code, Problem, shorten};
use registry_model::{Kind, string_enum};

#[derive(Clone, Debug)]
pub enum RawArguments {
    Query(Parameters),
    Json(Value),
}

impl RawArguments {
    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            Self::Query(query) => query.iter().map(|(name, _)| name).collect(),
            Self::Json(value) => value.as_object().into_iter().flatten().map(|(name, _)| &**name).collect(),
        }
    }

    /// # Errors
    /// 400 if it is not an object, 422 with the field that is invalid.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, Problem> {
        match self {
            Self::Query(query) => query.read(),
            Self::Json(value) => from_json(value),
        }
    }
}

/// Characters of a parameter of a query. Servers and proxies refuse URLs with 64 KB or less, and a character can need twelve
/// bytes there.
pub const MAX_PARAMETER_CHARS: usize = 5000;

/// The parameters of a query string or of a form, in their order. They are parsed once for each request.
#[derive(Clone, Debug)]
pub struct Parameters(Vec<(String, String)>);

impl Parameters {
    pub fn parse(encoded: &[u8]) -> Self {
        Self(form_urlencoded::parse(encoded).into_owned().collect())
    }

    /// The parameters of a query string, without its question mark; none if there is no query.
    pub fn of_query(query: Option<&str>) -> Self {
        Self::parse(query.unwrap_or_default().as_bytes())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The first value with this name.
    pub fn first(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The first value with this name, unless it is empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.first(name).filter(|value| !value.is_empty())
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.0.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Only the parameters with this name.
    #[must_use]
    pub(crate) fn only(mut self, name: &str) -> Self {
        self.0.retain(|(known, _)| known == name);
        self
    }

    /// # Errors
    /// 422 with the parameter that is invalid or too long.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        let too_long = self.iter().find(|(_, value)| value.chars().nth(MAX_PARAMETER_CHARS).is_some());
        if let Some((name, _)) = too_long {
            let name = shorten(name, 60);
            let detail = format!("`{name}` is too long: at most {MAX_PARAMETER_CHARS} characters in a URL.");
            return Err(Problem::invalid(name, Code::TooLong, detail));
        }
        let pairs =
            MapDeserializer::<_, Error>::new(self.iter().map(|(name, value)| (name, ParameterValue(value))));
        serde_path_to_error::deserialize(pairs).map_err(|error| unreadable(&error))
    }
}

/// A value of a query, which is parsed as the type of its field.
struct ParameterValue<'de>(&'de str);

impl ParameterValue<'_> {
    fn parse<T: FromStr<Err: Display>>(&self) -> Result<T, Error> {
        self.0.parse().map_err(Error::custom)
    }
}

impl<'de> IntoDeserializer<'de> for ParameterValue<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! parse_as {
    ($($method:ident: $visit:ident,)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.parse()?)
        })*
    };
}

impl<'de> Deserializer<'de> for ParameterValue<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.0))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    parse_as! {
        deserialize_bool: visit_bool, deserialize_f32: visit_f32, deserialize_f64: visit_f64,
        deserialize_i8: visit_i8, deserialize_i16: visit_i16, deserialize_i32: visit_i32, deserialize_i64: visit_i64,
        deserialize_u8: visit_u8, deserialize_u16: visit_u16, deserialize_u32: visit_u32, deserialize_u64: visit_u64,
    }

    serde::forward_to_deserialize_any! {
        char str string unit bytes byte_buf unit_struct tuple_struct struct identifier tuple ignored_any seq map
    }
}

pub fn from_json<T: DeserializeOwned>(value: Value) -> Result<T, Problem> {
    if !value.is_object() {
        return Err(Problem::malformed("The arguments must be a JSON object."));
    }
    serde_path_to_error::deserialize(with_integers(value)).map_err(|error| unreadable(&error))
}

/// Converts floats without a fraction to integers: JSON Schema accepts `3.0` as an integer, and clients that use a
/// protobuf `Value` can only send floats.
fn with_integers(value: Value) -> Value {
    match value {
        Value::Number(number) => as_integer(&number).map_or(Value::Number(number), Value::from),
        Value::Array(values) => values.into_iter().map(with_integers).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, with_integers(value))).collect()
        }
        other => other,
    }
}

fn as_integer(number: &Number) -> Option<i64> {
    /// 2^53: up to here a float represents every integer exactly.
    const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
    let float = number
        .as_f64()
        .filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() <= MAX_EXACT)?;
    format!("{float:.0}").parse().ok()
}

fn unreadable<E: std::error::Error>(error: &serde_path_to_error::Error<E>) -> Problem {
    let field = error.path().to_string();
    let message = error.inner().to_string();
    let detail = shorten(&readable(&message), 300);
    match field_in(&message) {
        _ if field != "." => Problem::invalid(&field, Code::InvalidArgument, format!("`{field}`: {detail}.")),
        Some(named) => Problem::invalid(named, Code::InvalidArgument, format!("{detail}.")),
        None => Problem::new(Code::InvalidArguments, format!("{detail}.")),
    }
}

/// Replaces some of serde's messages.
fn readable(detail: &str) -> String {
    let not_numbers = ["invalid digit ", "cannot parse integer ", "number too large "];
    if not_numbers.iter().any(|start| detail.starts_with(start)) {
        return "must be a whole number in digits, and not too large".to_owned();
    }
    if let Some(name) = detail.strip_prefix("missing field ") {
        return format!("{name} is required");
    }
    let unknown = detail.strip_prefix("unknown variant ");
    if let Some((value, accepted)) = unknown.and_then(|rest| rest.rsplit_once("`, expected ")) {
        return format!("unknown value {}`, expected {accepted}", shorten(value, 60));
    }
    match detail.rsplit_once("expected ") {
        Some((before, "string or map")) => format!("{before}expected a string"),
        Some((_, "map with a single key")) => "invalid type: map, expected a string".to_owned(),
        Some((before, kind)) if kind.starts_with("struct ") => format!("{before}expected an object"),
        Some((before, "f32" | "f64")) => format!("{before}expected a number"),
        Some((before, "u8" | "u16" | "u32" | "u64" | "i64")) => {
            format!("{before}expected a whole number in range")
        }
        _ => detail.to_owned(),
    }
}

/// A missing or duplicate field: serde names it in the message only, and its object in the path.
fn field_in(detail: &str) -> Option<&str> {
    let rest = detail.strip_prefix("missing field `").or_else(|| detail.strip_prefix("duplicate field `"))?;
    rest.split('`').next()
}

// The names of the arguments of an operation. A tool call with an unknown name is refused: ignored, it would give an answer to
// another question.

/// Longer names get no advice.
const MAX_COMPARED: usize = 60;

/// The names of the fields of `T`, with their aliases. `None` if `T` is no plain struct: then all names are accepted.
pub(crate) fn argument_names<T: DeserializeOwned>() -> Option<&'static [&'static str]> {
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
    fn documented_names(&self) -> Vec<String> {
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
        let own = self.documented_names().join(", ");
        let advice = match nearest.filter(|nearest| strsim::jaro_winkler(unknown, nearest) > 0.8) {
            Some(nearest) => format!("Did you mean `{nearest}`?"),
            None if own.is_empty() => "It has no arguments of its own.".to_owned(),
            None => format!("Its own arguments: {own}."),
        };
        let detail = format!("`{}` has no argument `{shown}`. {advice}", self.name);
        Err(Problem::invalid(shown, Code::UnknownArgument, detail))
    }
}

/// The argument `field`, such as how many rows to return: from 1 to `max`.
pub(crate) fn bounded_number(
    field: &'static str,
    given: Option<u32>,
    default: u32,
    max: u32,
) -> Result<usize, Problem> {
    let count = given.unwrap_or(default);
    if (1..=max).contains(&count) {
        return Ok(count as usize);
    }
    Err(Problem::invalid(field, Code::OutOfRange, format!("`{field}` must be from 1 to {max}.")))
}

/// One line that anyone may read; `None` if it is blank.
pub(crate) fn optional_line(
    field: &'static str,
    given: Option<&str>,
    max_chars: usize,
) -> Result<Option<String>, Problem> {
    let line = |text: &str| public_text(field, &argument_text::line(field, text, max_chars)?, max_chars);
    given.filter(|text| !text.trim().is_empty()).map(line).transpose()
}

/// One or more lines that anyone may read; `None` if they are blank.
pub(crate) fn optional_text(
    field: &'static str,
    given: Option<&str>,
    max_chars: usize,
) -> Result<Option<String>, Problem> {
    let text = given.filter(|text| !text.trim().is_empty());
    text.map(|text| public_text(field, text, max_chars)).transpose()
}

string_enum! {
    /// One kind, or both.
    #[derive(JsonSchema)]
    pub enum KindFilter {
        /// Agents.
        Agent = "agent",
        /// MCP servers.
        Mcp = "mcp",
        /// Both.
        All = "all",
    }
}

impl KindFilter {
    pub const fn only(self) -> Option<Kind> {
        match self {
            Self::Agent => Some(Kind::Agent),
            Self::Mcp => Some(Kind::Mcp),
            Self::All => None,
        }
    }
}

/// The argument `limit` of a list: how many rows a page has, from 1 to 100.
pub fn page_limit(limit: Option<u32>, default: u32) -> Result<u32, Problem> {
    match limit {
        None => Ok(default),
        Some(limit) if (1..=100).contains(&limit) => Ok(limit),
        Some(_) => {
            Err(Problem::invalid("limit", Code::OutOfRange, "`limit` must be a whole number from 1 to 100."))
        }
    }
}

#[cfg(test)]
mod tests;
