//! Pages of the Active listings of both kinds behind one opaque cursor. A page costs one query for each kind
//! that still has rows.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use registry_app::App;
use registry_model::cache::CacheValidator;
use registry_model::error::Problem;
use registry_model::{Kind, Listing, ListingId, Moment};
use registry_store::Live;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    #[default]
    Start,
    After(String),
    End,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    pub agents: Place,
    pub mcps: Place,
}

impl Cursor {
    pub fn read(text: &str) -> Result<Self, Problem> {
        let refuse = || {
            Problem::invalid(
                "cursor",
                "bad_cursor",
                "`cursor` must be the next_cursor of an earlier page; leave it out for the first page.",
            )
        };
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| refuse())?;
        let cursor: Self = serde_json::from_slice(&bytes).map_err(|_| refuse())?;
        let sound = [&cursor.agents, &cursor.mcps].iter().all(|place| match place {
            Place::Start | Place::End => true,
            Place::After(key) => key.split_once('#').is_some_and(|(millis, id)| {
                millis.len() == 13
                    && millis.bytes().all(|b| b.is_ascii_digit())
                    && id.parse::<ListingId>().is_ok()
            }),
        });
        // Each position has exactly one cursor, so that caches and logs can compare them.
        if sound && cursor.write().as_deref() == Some(text) { Ok(cursor) } else { Err(refuse()) }
    }

    /// `None` if nothing is left.
    pub fn write(&self) -> Option<String> {
        if (&self.agents, &self.mcps) == (&Place::End, &Place::End) {
            return None;
        }
        serde_json::to_vec(self).ok().map(|bytes| URL_SAFE_NO_PAD.encode(bytes))
    }
}

#[derive(Clone, Debug, Default)]
pub struct Page {
    pub agents: Vec<Listing>,
    pub mcps: Vec<Listing>,
    pub next: Cursor,
}

impl Page {
    /// The newest `limit` listings of both kinds, and the cursor of the rest. For a kind without a row in the page,
    /// the cursor stays where this page began.
    pub fn newest(self, from: &Cursor, limit: u32) -> (Vec<Listing>, Cursor) {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let (agents, mcps) = (self.agents.len(), self.mcps.len());
        let mut all: Vec<Listing> = self.agents.into_iter().chain(self.mcps).collect();
        all.sort_by_cached_key(|listing| std::cmp::Reverse(listing.shown_at()));
        if all.len() <= limit {
            return (all, self.next);
        }
        all.truncate(limit);
        let place = |kind: Kind, had: usize, from: &Place, next: Place| {
            let shown: Vec<&Listing> = all.iter().filter(|listing| listing.shown_kind() == kind).collect();
            match shown.last() {
                _ if shown.len() == had => next,
                Some(last) => Place::After(last.shown_at()),
                None => from.clone(),
            }
        };
        let next = Cursor {
            agents: place(Kind::Agent, agents, &from.agents, self.next.agents),
            mcps: place(Kind::Mcp, mcps, &from.mcps, self.next.mcps),
        };
        (all, next)
    }
}

/// One kind, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KindFilter {
    /// Agents.
    Agent,
    /// MCP servers.
    Mcp,
    /// Both.
    All,
}

impl KindFilter {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Mcp => "mcp",
            Self::All => "all",
        }
    }

    pub const fn only(self) -> Option<Kind> {
        match self {
            Self::Agent => Some(Kind::Agent),
            Self::Mcp => Some(Kind::Mcp),
            Self::All => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct PageQuery {
    pub only: Option<Kind>,
    pub from: Cursor,
    pub limit: u32,
}

impl PageQuery {
    /// `default` is the limit if none is given.
    pub fn read(
        kind: Option<KindFilter>,
        limit: Option<u32>,
        cursor: Option<&str>,
        default: u32,
    ) -> Result<Self, Problem> {
        Ok(Self {
            only: kind.and_then(KindFilter::only),
            limit: self::limit(limit, default)?,
            from: cursor.map(Cursor::read).transpose()?.unwrap_or_default(),
        })
    }
}

pub fn limit(limit: Option<u32>, default: u32) -> Result<u32, Problem> {
    match limit {
        None => Ok(default),
        Some(limit) if (1..=100).contains(&limit) => Ok(limit),
        Some(_) => {
            Err(Problem::invalid("limit", "out_of_range", "`limit` must be a whole number from 1 to 100."))
        }
    }
}

pub async fn read(app: &App, query: &PageQuery) -> Result<Page, Problem> {
    let PageQuery { only, from, limit } = query;
    let place = |kind: Kind, place: &Place| match only {
        Some(only) if *only != kind => Place::End,
        _ => place.clone(),
    };
    let agents = part(app, Kind::Agent, place(Kind::Agent, &from.agents), *limit);
    let mcps = part(app, Kind::Mcp, place(Kind::Mcp, &from.mcps), *limit);
    let ((agents, agents_next), (mcps, mcps_next)) = futures::try_join!(agents, mcps)?;
    Ok(Page { agents, mcps, next: Cursor { agents: agents_next, mcps: mcps_next } })
}

async fn part(app: &App, kind: Kind, from: Place, limit: u32) -> Result<(Vec<Listing>, Place), Problem> {
    let after = match &from {
        Place::End => return Ok((Vec::new(), Place::End)),
        Place::Start => None,
        Place::After(key) => Some(key.as_str()),
    };
    let (listings, more) = app.store.active(kind, after, limit).await?;
    let oldest_proof = app.oldest_proof();
    let live = listings.into_iter().filter(|listing| listing.is_live(oldest_proof)).collect();
    Ok((live, more.map_or(Place::End, Place::After)))
}

/// Live listings in total.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Live agents.
    pub agents_active: u32,
    /// Live MCP servers.
    pub mcp_active: u32,
    /// When expired listings were last removed from the counts, which happens each hour; absent before the first
    /// time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Moment>,
}

impl From<Live> for Counts {
    fn from(live: Live) -> Self {
        Self { agents_active: live.agents, mcp_active: live.mcps, as_of: live.as_of }
    }
}

/// The validator of the list at this moment. It changes with every write to a Live row and every six minutes, because
/// rows show their age to a tenth of an hour.
pub fn validator(app: &App, live: Live, page: &str) -> CacheValidator {
    let tenth_of_an_hour = app.clock.now().as_second() / 360;
    CacheValidator::weak(&format!("{}/{tenth_of_an_hour}/{page}", live.version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_survives_a_round_trip() {
        let cursor = Cursor { agents: Place::After("1795132800000#agent-a".to_owned()), mcps: Place::End };
        assert_eq!(Cursor::read(&cursor.write().unwrap()).unwrap(), cursor);
        assert_eq!(Cursor { agents: Place::End, mcps: Place::End }.write(), None);
    }

    #[test]
    fn foreign_cursor_is_rejected() {
        let forged = Cursor { agents: Place::After("LISTING#x".to_owned()), mcps: Place::End };
        let spaced = URL_SAFE_NO_PAD.encode(r#"{"agents": "Start", "mcps": "Start"}"#);
        let ended = URL_SAFE_NO_PAD.encode(r#"{"agents":"End","mcps":"End"}"#);
        for text in ["nonsense", "", "e30", &forged.write().unwrap(), &spaced, &ended] {
            assert!(Cursor::read(text).is_err(), "{text}");
        }
    }
}
