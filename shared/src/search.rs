//! Finding what is Live by plain words, and browsing it by name: one index over the Active listings, the same on every
//! function. What it finds is read from the table before it is shown, so that no hit is older than the table.

pub mod browse;
pub mod bucket;
pub mod build;
pub mod entry;
mod evidence;
mod held;
pub mod index;
mod kind_wish;
pub mod meaning;
mod phrasebook;
mod question;
mod rank;
mod spelling;
mod synonyms;
mod text;
mod words;

pub use entry::Said;
pub use held::Searcher;
pub use text::Text;

use crate::app::App;
use crate::error::Problem;
use crate::listing::{Category, Kind, Listing, ListingId};
use index::Index;
use question::Question;
use rank::{Filter, Ranked};

/// What somebody looks for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// In their words; empty for whatever is there, the newest first.
    pub text: Text,
    /// Only agents, or only MCP servers.
    pub kind: Option<Kind>,
    /// Only what is filed there.
    pub category: Option<Category>,
    /// So many of the best are left out: they stood on earlier pages.
    pub skip: usize,
    /// At most so many hits.
    pub limit: usize,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The hits of this page, the best first.
    pub hits: Vec<Hit>,
    /// How many there are on all pages.
    pub total: usize,
    /// How many listings were searched.
    pub searched: usize,
    /// The words as they were searched, where spelling was corrected.
    pub corrected: Option<String>,
}

/// A Live listing that answers to the words.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The listing, as the table holds it now.
    pub listing: Listing,
    /// How well it answers, 0 to 100; falls from hit to hit.
    pub score: u8,
    /// Which of the words it bears, or of those by which catalogues call what is asked for.
    pub words: Vec<String>,
    /// Which of the words it answers in others.
    pub other_words: Vec<String>,
    /// Its skills or tools that bear one of the words.
    pub abilities: Vec<String>,
    /// What moved it among its equals, such as `fresh probe`.
    pub boosts: Vec<String>,
}

/// Finds Live listings. A search costs one read of the table, or two for more than 99 hits; one that comes upon a newer
/// index than this process holds reads what is new and looks again.
///
/// # Errors
/// The table is busy or refused.
pub async fn find(app: &App, wanted: &Wanted) -> Result<Found, Problem> {
    app.search.load(&app.store).await?;
    let mut looked = app.search.look(wanted);
    let mut shown = app.store.shown(&looked.ids()).await?;
    if app.search.renewed(&app.store, shown.manifest).await? {
        looked = app.search.look(wanted);
        shown = app.store.shown(&looked.ids()).await?;
    }
    let now = app.clock.now();
    let mut hits: Vec<(f32, Hit)> = Vec::with_capacity(looked.hits.len());
    for seen in looked.hits {
        // Gone since the index was built: it is not Live, so it is no hit.
        let Some(listing) = shown.live.remove(&seen.id) else { continue };
        let (rank, boosts) = evidence::weighed(seen.rank, &listing, now);
        let Seen { words, other_words, abilities, .. } = seen;
        hits.push((rank, Hit { listing, score: 0, words, other_words, abilities, boosts }));
    }
    hits.sort_by(|a, b| b.0.total_cmp(&a.0));
    let scored = |(rank, hit): (f32, Hit)| Hit { score: percent(rank), ..hit };
    Ok(Found {
        hits: hits.into_iter().map(scored).collect(),
        total: looked.total,
        searched: looked.searched,
        corrected: looked.corrected,
    })
}

/// What the index says to a question, before the table is asked.
#[derive(Clone, Debug)]
pub struct Looked {
    /// What answers, the best first.
    pub hits: Vec<Seen>,
    /// How many there are on all pages.
    pub total: usize,
    /// How many listings were searched.
    pub searched: usize,
    /// The words as they were searched, where spelling was corrected.
    pub corrected: Option<String>,
}

/// A listing that the index says answers.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its id.
    pub id: ListingId,
    /// How well it answers, from 0 to 1.
    pub rank: f32,
    /// Which of the words it bears, or of those by which catalogues call what is asked for.
    pub words: Vec<String>,
    /// Which of the words it answers in others.
    pub other_words: Vec<String>,
    /// Its skills or tools that bear one of the words.
    pub abilities: Vec<String>,
}

impl Looked {
    fn ids(&self) -> Vec<ListingId> {
        self.hits.iter().map(|seen| seen.id.clone()).collect()
    }
}

/// Asks the index alone.
#[must_use]
pub fn look(index: &Index, wanted: &Wanted) -> Looked {
    let filter = Filter { kind: wanted.kind, category: wanted.category.clone() };
    let question = Question::of(wanted.text.as_str(), index);
    let ranked = if wanted.text.is_empty() {
        rank::newest(index, &filter)
    } else {
        rank::ranked(index, &question, wanted.text.as_str(), &filter)
    };
    let seen = |hit: &Ranked| {
        let card = index.card(hit.number)?;
        let (words, other_words) = rank::words_answered(index, &question, hit.number);
        Some(Seen {
            id: card.id.clone(),
            rank: hit.rank,
            words,
            other_words,
            abilities: rank::abilities_named(&question, &card.abilities),
        })
    };
    Looked {
        hits: ranked.iter().skip(wanted.skip).take(wanted.limit).filter_map(seen).collect(),
        total: ranked.len(),
        searched: index.len(),
        corrected: question.corrected.then_some(question.text),
    }
}

fn percent(rank: f32) -> u8 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
    let percent = (rank.clamp(0.0, 1.0) * 100.0).round() as u8;
    percent
}
