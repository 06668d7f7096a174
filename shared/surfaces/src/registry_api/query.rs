//! Parses the query string of a list as the official OpenAPI defines it. Unknown parameters and empty texts
//! are ignored. A number out of range is replaced by the nearest allowed number, because the official API
//! documents no error for this case. A cursor or time that cannot be parsed returns 400, as the official API
//! documents; so does a search text that is too long. The rest of this registry uses 422.

use super::collection::Selection;
use crate::prelude::*;
use registry_features::listing::server_entry::version;
use registry_formats::registry_name;
use registry_formats::server_json::is_name;
use registry_model::{Access, Category, Listed};
use registry_search::browse::BrowseQuery;
use registry_search::{CHANGE_SEEN_AFTER_S, MAX_QUERY_CHARS};

const DEFAULT_LIMIT: usize = 30;

const MAX_LIMIT: usize = 100;

/// The text is compared with the name of each server.
const MAX_SEARCH_CHARS: usize = 200;

/// The schema of the query of a list; `names` selects parameters for calls that do not read all of them.
pub(crate) fn schema(names: &[&str]) -> Value {
    let modes: Vec<&str> = std::iter::once("").chain(Access::ALL.map(Access::as_str)).collect();
    let all = json!({
        "cursor": {
            "type": "string", "format": "server-cursor",
            "description": "The `metadata.nextCursor` of the previous page.",
        },
        "limit": {
            "type": "integer",
            "description": format!("The most servers on a page; clamped to 1 to {MAX_LIMIT}, default {DEFAULT_LIMIT}."),
        },
        "search": { "type": "string", "maxLength": MAX_SEARCH_CHARS, "description": "A part of the name, the title or the displayed name." },
        "updated_since": {
            "type": "string", "format": "date-time",
            "description": format!("Only servers that changed at this time or later, or up to {CHANGE_SEEN_AFTER_S} s before."),
        },
        "version": { "type": "string", "description": "Only servers that published this version last; `latest` for all." },
        "include_deleted": {
            "type": "string",
            "description": "`true`, the default with `updated_since`, adds Live or gated servers that were demoted or withdrawn, and Live ones that became gated, within 7 days; none whose proof only expired.",
        },
        "access": {
            "enum": modes,
            "description": "How the servers can be used. Default: Live servers.",
        },
        "q": { "type": "string", "maxLength": MAX_QUERY_CHARS, "description": "A search in plain words." },
        "name": {
            "type": "string",
            "description": "One server. Default: a page of all servers, by the parameters of the list.",
        },
    });
    let selected = names.iter().map(|name| ((*name).to_owned(), all[name].clone()));
    json!({ "properties": Map::from_iter(selected) })
}

/// The parameters that [`ServerQuery::parse`] reads.
pub(crate) const LIST_PARAMETERS: [&str; 7] =
    ["cursor", "limit", "search", "updated_since", "version", "include_deleted", "access"];

#[derive(Clone, Debug)]
pub(crate) struct ServerQuery {
    /// For servers with a URL.
    pub(super) part: BrowseQuery,
    pub(super) version: Option<String>,
    pub(super) access: Option<Access>,
    /// Also lists the servers that were Live at this time or later, and no longer are.
    pub(super) deleted_since: Option<Moment>,
    pub(super) begin: Cursor,
    pub(super) collection: Option<Arc<Selection>>,
}

impl ServerQuery {
    /// Reads `cursor`, `limit` (1 to 100), `search`, `updated_since`, `version`, `include_deleted` and, as an extension,
    /// `access`. As at the official registry, `include_deleted` is true by default if `updated_since` is given.
    ///
    /// # Errors
    /// 400 for an unknown cursor, for a time that is not RFC 3339 and for a search text over 200 characters, 422 for a
    /// limit that is not a whole number and for an unknown `access`.
    pub(super) fn parse(query: &Parameters, collection: Option<Arc<Selection>>) -> Result<Self, Problem> {
        let begin = query.text("cursor").map_or(Ok(Cursor::Live(None)), Cursor::read)?;
        let changed_since = query.first("updated_since").map(read_time).transpose()?;
        // A change is shown some time after it was made. So a mirror gets the latest changes twice instead of never.
        let overlap = SignedDuration::from_secs(CHANGE_SEEN_AFTER_S);
        let changed_since = changed_since.map(|since| since.max(Moment::UNIX_EPOCH + overlap) - overlap);
        let is_included = query.first("include_deleted");
        let is_included = is_included.map_or(changed_since.is_some(), |text| matches!(text, "true" | "1"));
        let deleted_since = is_included.then(|| changed_since.unwrap_or(Moment::UNIX_EPOCH));
        let rules = collection.as_deref().map(|selection| &selection.collection.rules);
        let access = read_access(query)?.or_else(|| rules.map(|rules| rules.access));
        let part = BrowseQuery {
            kind: Some(Kind::Mcp),
            // The packages are a part of their own.
            listed: if access == Some(Access::All) { Listed::Remote } else { access.into() },
            category: rules.and_then(|rules| Category::by_id(rules.category.as_deref()?)),
            name_contains: query.text("search").map(search_text).transpose()?,
            only: collection.as_deref().and_then(|selection| selection.only.clone()),
            changed_since,
            limit: read_limit(query)?,
            ..BrowseQuery::default()
        };
        // Each server is listed with its latest version.
        let version = query.text("version").filter(|version| *version != "latest").map(str::to_owned);
        Ok(Self { part, version, access, deleted_since, begin, collection })
    }

    /// The part of the list after another; `None` after the last.
    pub(super) fn after(&self, part: &Cursor) -> Option<Cursor> {
        let deleted = || self.deleted_since.map(|_| Cursor::Deleted(None));
        match part {
            Cursor::Live(_) if matches!(self.access, Some(Access::Package | Access::All)) => {
                Some(Cursor::Packages(None))
            }
            Cursor::Live(_) | Cursor::Packages(_) => deleted(),
            Cursor::Deleted(_) => None,
        }
    }

    /// A name for the answer to this query.
    pub(super) fn name(&self) -> String {
        let part = &self.part;
        let since = [part.changed_since, self.deleted_since].map(|since| since.map(Moment::as_millisecond));
        let collection = self.collection.as_deref().map(|selection| &selection.collection);
        let (begin, access) = (self.begin.write(), self.access.map(Access::as_str));
        json!([part.name_contains, since, begin, part.limit, self.version, access, collection]).to_string()
    }

    /// Whether the list contains a server in this lane, whatever else the query requires.
    pub(super) fn lists(&self, listing: &Listing) -> bool {
        let availability = listing.availability(Moment::UNIX_EPOCH);
        availability.is_some_and(|availability| Listed::from(self.access).admits(availability))
    }

    /// What the index cannot filter.
    pub(super) fn matches(&self, listing: &Listing, now: Moment) -> bool {
        self.version.as_ref().is_none_or(|required| *required == version(listing))
            && self.collection.as_deref().is_none_or(|selection| selection.matches(listing, now))
    }

    /// For servers that are not in the index.
    pub(super) fn matches_name(&self, listing: &Listing) -> bool {
        let names =
            [registry_name::name_of_listing(listing).to_lowercase(), listing.texts.name.to_lowercase()];
        self.part.name_contains.as_ref().is_none_or(|part| names.iter().any(|name| name.contains(part)))
    }

    /// Whether rows are filtered after they were read, so that a page may need several reads.
    pub(super) fn is_selective(&self) -> bool {
        self.version.is_some() || self.collection.is_some()
    }
}

/// Without it, a list contains the Live servers.
pub(super) fn read_access(query: &Parameters) -> Result<Option<Access>, Problem> {
    let Some(text) = query.text("access") else { return Ok(None) };
    Access::named(text).map(Some).ok_or_else(|| {
        let detail = format!("`access` must be open, gated, package or all, not `{}`.", shorten(text, 40));
        Problem::invalid("access", Code::BadAccess, detail)
    })
}

/// Clamped to 1 to 100.
pub(super) fn read_limit(query: &Parameters) -> Result<usize, Problem> {
    let Some(text) = query.first("limit") else { return Ok(DEFAULT_LIMIT) };
    let (below, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        let detail = format!("`limit` must be a whole number, not `{}`.", shorten(text, 40));
        return Err(Problem::invalid("limit", Code::BadLimit, detail));
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
        return Err(malformed("search", Code::TooLong, detail));
    }
    Ok(text.to_lowercase())
}

fn read_time(text: &str) -> Result<Moment, Problem> {
    // The `+` of an offset arrives as a space if it was not encoded.
    let read = text.trim().replace(' ', "+").parse();
    read.map_err(|_| {
        let detail = format!(
            "Invalid updated_since format: `{}` is not an RFC 3339 time such as 2025-08-07T13:15:04Z.",
            shorten(text, 60)
        );
        malformed("updated_since", Code::BadTime, detail)
    })
}

/// For a cursor, a time and a search text.
fn malformed(field: &str, code: Code, detail: String) -> Problem {
    let mut problem = Problem::invalid(field, code, detail);
    problem.kind = ErrorKind::Malformed;
    problem
}

/// Before a position among the packages, and before one among the servers that are no longer Live. A name has a slash, so
/// none is mistaken for it.
const PACKAGES: &str = "packages";
const DELETED: &str = "deleted";

/// The cursor of the server list: the name and the id of a listing, with a colon between them. The official
/// service uses the same form with name and version. Its guide shows cursors that are sent without encoding.
///
/// It says where a page begins: in which part of the list, and after which position in it. Without a position, at its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// Live and gated servers. A position is a name, a space and an id.
    Live(Option<String>),
    /// Servers that run on the machine of their user. A position is a time, `#` and an id.
    Packages(Option<String>),
    /// Servers that are no longer listed. A position is a time, `#` and an id.
    Deleted(Option<String>),
}

impl Cursor {
    /// Reads a cursor that [`Cursor::write`] wrote.
    ///
    /// # Errors
    /// 400: this registry did not issue it.
    pub fn read(text: &str) -> Result<Self, Problem> {
        let is_id = |id: &str| id.parse::<ListingId>().is_ok();
        let is_time = |time: &str| time.len() == 13 && time.bytes().all(|b| b.is_ascii_digit());
        let position = |position: &str| match position.split_once(':') {
            Some((time, id)) if is_time(time) && is_id(id) => Some(Some(format!("{time}#{id}"))),
            None if position.is_empty() => Some(None),
            _ => None,
        };
        let read = match text.split_once(':') {
            Some((PACKAGES, rest)) => position(rest).map(Self::Packages),
            Some((DELETED, rest)) => position(rest).map(Self::Deleted),
            Some((name, id)) if is_name(name) && is_id(id) => Some(Self::Live(Some(format!("{name} {id}")))),
            _ => None,
        };
        read.ok_or_else(|| {
            let detail =
                "`cursor` must be the metadata.nextCursor of an earlier page; leave it out for the first.";
            malformed("cursor", Code::BadCursor, detail.to_owned())
        })
    }

    pub fn write(&self) -> String {
        let text =
            |position: &Option<String>| position.as_deref().unwrap_or_default().replace([' ', '#'], ":");
        match self {
            Self::Live(position) => text(position),
            Self::Packages(position) => format!("{PACKAGES}:{}", text(position)),
            Self::Deleted(position) => format!("{DELETED}:{}", text(position)),
        }
    }
}

#[cfg(test)]
mod tests;
