//! Parses the query string of a list as the official OpenAPI defines it. Unknown parameters and empty texts
//! are ignored. A number out of range is replaced by the nearest allowed number, because the official API
//! documents no error for this case. A cursor or time that cannot be parsed returns 400, as the official API
//! documents; so does a search text that is too long. The rest of this registry uses 422.

use http::StatusCode;
use serde_json::json;

use super::cursor::Cursor;
use super::server::version;
use registry_formats::registry_name;
use registry_model::error::{Problem, shorten};
use registry_model::{Kind, Listing, Moment};
use registry_search::browse::BrowseQuery;

const DEFAULT_LIMIT: usize = 30;

const MAX_LIMIT: usize = 100;

/// The text is compared with the name of each server.
const MAX_SEARCH_CHARS: usize = 200;

#[derive(Clone, Debug)]
pub struct ServerQuery {
    pub(super) part: BrowseQuery,
    pub(super) version: Option<String>,
    /// Servers that are no longer Live, after all that are.
    pub(super) delisted: Option<DelistedQuery>,
}

#[derive(Clone, Debug)]
pub(super) struct DelistedQuery {
    pub(super) since: Moment,
    /// A page with this place contains no Live server.
    pub(super) after: Option<String>,
    pub(super) only: bool,
}

impl ServerQuery {
    /// Reads `cursor`, `limit` (1 to 100), `search`, `updated_since`, `version` and `include_deleted`. As at
    /// the official registry, `include_deleted` is true by default if `updated_since` is given.
    ///
    /// # Errors
    /// 400 for an unknown cursor, for a time that is not RFC 3339 and for a search text over 200 characters, 422 for a
    /// limit that is not a whole number.
    pub fn parse(query: &str) -> Result<Self, Problem> {
        let cursor = text(query, "cursor").map(|text| Cursor::read(&text)).transpose()?;
        let changed_since = value(query, "updated_since").map(|text| moment(&text)).transpose()?;
        let part = BrowseQuery {
            kind: Some(Kind::Mcp),
            name_contains: text(query, "search").map(|text| search_text(&text)).transpose()?,
            changed_since,
            after: match &cursor {
                Some(Cursor::Live(place)) => Some(place.clone()),
                _ => None,
            },
            limit: limit(query)?,
            ..BrowseQuery::default()
        };
        // Each server has one version here, which is the latest.
        let version = text(query, "version").filter(|version| version != "latest");
        let include_deleted = text(query, "include_deleted");
        let is_included = include_deleted.map_or(changed_since.is_some(), |text| text == "true");
        let (only, after) = match cursor {
            Some(Cursor::Fallen(after)) => (true, after),
            _ => (false, None),
        };
        let since = changed_since.unwrap_or(Moment::UNIX_EPOCH);
        let delisted = (is_included || only).then_some(DelistedQuery { since, after, only });
        Ok(Self { part, version, delisted })
    }

    pub(super) fn name(&self) -> String {
        let part = &self.part;
        let since = part.changed_since.map(|since| since.as_millisecond());
        let delisted = self.delisted.as_ref().map(|delisted| (&delisted.after, delisted.only));
        json!([part.name_contains, since, part.after, part.limit, self.version, delisted]).to_string()
    }

    pub(super) fn matches_delisted(&self, listing: &Listing) -> bool {
        let name = registry_name::of(listing).to_lowercase();
        self.matches(listing) && self.part.name_contains.as_ref().is_none_or(|part| name.contains(part))
    }

    pub(super) fn matches(&self, listing: &Listing) -> bool {
        self.version.as_ref().is_none_or(|required| *required == version(listing))
    }
}

fn value(query: &str, name: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    pairs.find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
}

pub(super) fn text(query: &str, name: &str) -> Option<String> {
    value(query, name).filter(|value| !value.is_empty())
}

/// Clamped to 1 to 100.
pub(super) fn limit(query: &str) -> Result<usize, Problem> {
    let Some(text) = value(query, "limit") else { return Ok(DEFAULT_LIMIT) };
    let (below, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(&text)),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        let detail =
            format!("`limit` must be a whole number from 1 to {MAX_LIMIT}, not `{}`.", shorten(&text, 40));
        return Err(Problem::invalid("limit", "bad_limit", detail));
    }
    // A number too large for the type is above the maximum.
    Ok(if below { 1 } else { digits.parse().unwrap_or(MAX_LIMIT).clamp(1, MAX_LIMIT) })
}

/// In lower case.
fn search_text(text: &str) -> Result<String, Problem> {
    if text.chars().count() > MAX_SEARCH_CHARS {
        let detail = format!(
            "`search` may have at most {MAX_SEARCH_CHARS} characters. Send a part of the name of the server."
        );
        return Err(malformed("search", "too_long", detail));
    }
    Ok(text.to_lowercase())
}

fn moment(text: &str) -> Result<Moment, Problem> {
    // The `+` of an offset arrives as a space if it was not encoded.
    let read = text.trim().replace(' ', "+").parse();
    read.map_err(|_| {
        let detail = format!(
            "Invalid updated_since format: `{}` is not an RFC 3339 time such as 2025-08-07T13:15:04Z.",
            shorten(text, 60)
        );
        malformed("updated_since", "bad_time", detail)
    })
}

/// For a cursor, a time and a search text.
pub(super) fn malformed(field: &str, code: &'static str, detail: String) -> Problem {
    let mut problem = Problem::invalid(field, code, detail);
    problem.status = StatusCode::BAD_REQUEST;
    problem
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(query: &str) -> (u16, String) {
        let problem = ServerQuery::parse(query).unwrap_err();
        (problem.status.as_u16(), problem.field.unwrap())
    }

    #[test]
    fn limit_outside_the_allowed_range_is_moved_into_the_range() {
        let limit = |text: &str| ServerQuery::parse(&format!("limit={text}")).unwrap().part.limit;
        let limits = ["7", "1", "0", "-5", "%2B7", "100", "101", "99999999999999999999999999"].map(limit);
        assert_eq!(limits, [7, 1, 1, 1, 7, 100, 100, 100]);
        assert_eq!(ServerQuery::parse("").unwrap().part.limit, 30);
        for text in ["", "abc", "1.5", "-", "1e2", "0x1", "%00", "١"] {
            assert_eq!(rejected(&format!("limit={text}")), (422, "limit".to_owned()), "{text}");
        }
    }

    #[test]
    fn time_must_be_rfc_3339() {
        let since =
            |text: &str| ServerQuery::parse(&format!("updated_since={text}")).unwrap().part.changed_since;
        let noon: Moment = "2026-11-20T12:00:00Z".parse().unwrap();
        assert_eq!(since("2026-11-20T12:00:00Z"), Some(noon));
        assert_eq!(since("2026-11-20t13:00:00.000%2B01:00"), Some(noon));
        assert_eq!(since("2026-11-20T13:00:00+01:00"), Some(noon), "a plus that was not encoded");
        for text in
            ["", "garbage", "2026-11-20", "1732104000", "2026-13-20T12:00:00Z", "2026-11-20T12:00:00", "%ff"]
        {
            assert_eq!(
                rejected(&format!("updated_since={text}")),
                (400, "updated_since".to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn cursor_for_deleted_servers_is_unchanged_after_encoding_and_decoding() {
        let delisted = |query: &str| {
            ServerQuery::parse(query).unwrap().delisted.map(|delisted| (delisted.only, delisted.after))
        };
        let place = "1795176000000#mcp-com-example-my-server";
        let cursor = Cursor::Fallen(Some(place.to_owned())).write();
        assert_eq!(cursor, "deleted:1795176000000:mcp-com-example-my-server");
        assert_eq!(delisted(&format!("cursor={cursor}")), Some((true, Some(place.to_owned()))));
        assert_eq!(delisted(&format!("cursor={}", Cursor::Fallen(None).write())), Some((true, None)));
        assert_eq!(delisted("updated_since=2026-11-20T12:00:00Z"), Some((false, None)));
        assert_eq!(delisted("updated_since=2026-11-20T12:00:00Z&include_deleted=false"), None);
        assert_eq!(delisted("limit=3"), None);
        for text in ["deleted:x", "deleted:1795176000000", "deleted:179:mcp-x", "deleted:1795176000000:x y"] {
            assert_eq!(rejected(&format!("cursor={text}")), (400, "cursor".to_owned()), "{text}");
        }
    }

    #[test]
    fn cursor_is_accepted_with_and_without_url_encoding() {
        let after = |text: &str| ServerQuery::parse(&format!("cursor={text}")).unwrap().part.after;
        let place = "com.example/my-server mcp-com-example-my-server";
        let cursor = Cursor::Live(place.to_owned()).write();
        assert_eq!(cursor, "com.example/my-server:mcp-com-example-my-server");
        assert_eq!(after(&cursor).as_deref(), Some(place));
        assert_eq!(after(&cursor.replace('/', "%2F").replace(':', "%3A")).as_deref(), Some(place));
        assert_eq!(after(""), None);
        for text in ["garbage", "a/b/c", "com.example/my-server:1.0.0", "%00/%00", "com.example/a%20b:mcp-a"]
        {
            assert_eq!(rejected(&format!("cursor={text}")), (400, "cursor".to_owned()), "{text}");
        }
    }

    #[test]
    fn search_text_is_lowercased_and_limited() {
        let search = |text: &str| ServerQuery::parse(&format!("search={text}")).unwrap().part.name_contains;
        assert_eq!(search("wEATH").as_deref(), Some("weath"));
        assert_eq!(search(""), None);
        assert_eq!(search(&"X".repeat(200)), Some("x".repeat(200)));
        assert_eq!(rejected(&format!("search={}", "x".repeat(201))), (400, "search".to_owned()));
    }

    #[test]
    fn search_and_version_parameters_are_read() {
        let query = ServerQuery::parse(
            "search=Weather%20%25&version=1.0.0%2Bx&include_deleted=true&q=ignored&=&&search=2",
        );
        let query = query.unwrap();
        assert_eq!(query.part.name_contains.as_deref(), Some("weather %"));
        assert_eq!(query.version.as_deref(), Some("1.0.0+x"));
        assert_eq!(query.part.kind, Some(Kind::Mcp));
        assert_eq!(ServerQuery::parse("version=latest").unwrap().version, None);
    }
}
