//! `/sitemap.xml`: the pages for search engines (sitemaps.org), without the documents for machines. If there
//! are many listings, it is an index of several parts. Each part is made from the search index in memory.

use super::frame::{self, NAVIGATION};
use super::home::HOME;
use super::legal::ABOUT;
use super::network::NETWORK;
use crate::prelude::*;

/// Listings per part; readers accept 50,000 addresses.
const PART_LISTINGS: usize = 10_000;

/// Which part of the sitemap.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct Part {
    /// The number of a part, from 1. Default: the whole sitemap, or the index of its parts if it is long.
    #[schemars(range(min = 1))]
    part: Option<usize>,
}

#[derive(Template)]
#[template(path = "sitemap.xml")]
struct Answer {
    content: Content,
}

enum Content {
    Index(Vec<String>),
    Pages(Vec<Page>),
}

struct Page {
    url: String,
    changed_at: Option<Moment>,
}

pub(crate) static SITEMAP: AnyDocument = AnyDocument {
    paths: &["/sitemap.xml"],
    summary: "The sitemap for search engines (sitemaps.org), in parts if it is long.",
    media_type: "application/xml",
    max_age_s: Some(600),
    refusals: &[ErrorKind::NotFound],
    shows_live: true,
    validator: |app, request| {
        // The search index is about a minute behind the table.
        let (minute, part) = (app.clock.now().as_second() / 60, request.query::<Part>()?.part);
        let made_from = format!("sitemap/{}/{minute}/{part:?}", request.live.version);
        Ok(Some(CacheValidator::weak(&made_from)))
    },
    ..AnyDocument::of::<String>(|app, request| Box::pin(render(app, request))).with_query::<Part>()
};

async fn render(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let part = request.query::<Part>()?.part;
    let skip = part.unwrap_or(1).saturating_sub(1).saturating_mul(PART_LISTINGS);
    let (listed, total) = app.search.listed(skip, PART_LISTINGS).await?;
    let parts = total.div_ceil(PART_LISTINGS).max(1);
    if part.is_some_and(|part| !(1..=parts).contains(&part)) {
        return Err(Problem::new(Code::NoSuchPart, format!("Use `part` from 1 to {parts}.")));
    }
    let url = |path: &str| app.settings.url(path);
    let content = if part.is_none() && parts > 1 {
        let path = SITEMAP.paths[0];
        Content::Index((1..=parts).map(|part| url(&format!("{path}?part={part}"))).collect())
    } else {
        let listings = listed.into_iter().map(|(id, at)| (url(&format!("/list/{id}")), Some(at)));
        let pages = if skip == 0 { top_pages(&app.settings) } else { Vec::new() };
        let pages = pages.into_iter().map(|url| (url, None)).chain(listings);
        Content::Pages(pages.map(|(url, changed_at)| Page { url, changed_at }).collect())
    };
    frame::html(&Answer { content })
}

fn top_pages(settings: &Settings) -> Vec<String> {
    let others = [&NETWORK, &ABOUT].into_iter().flat_map(|page| page.paths).copied();
    let paths = HOME.paths.iter().copied().chain(NAVIGATION.map(|entry| entry.path)).chain(others);
    paths.map(|path| settings.url(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_escaped() {
        let page =
            Page { url: "https://r.example.org/a&b<c".to_owned(), changed_at: Some(Moment::UNIX_EPOCH) };
        let text = Answer { content: Content::Pages(vec![page]) }.render().unwrap();
        assert!(text.contains("<lastmod>1970-01-01T00:00:00.000Z</lastmod>"), "{text}");
        assert!(text.starts_with("<?xml ") && !text.contains("a&b<c"), "{text}");
        let index =
            Answer { content: Content::Index(vec!["https://r.example.org/sitemap.xml?part=1".to_owned()]) };
        assert!(
            index.render().unwrap().contains("<sitemap><loc>https://r.example.org/sitemap.xml?part=1</loc>")
        );
    }
}
