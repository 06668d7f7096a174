//! `GET /agents` of ARD (§7.4): all Live listings in pages, in a fixed order, with a filter. If the index
//! cannot apply a filter, the filter is checked against each row. The number of reads is limited.

use super::filter::{Kinds, ListFilter, MAX_LIST_FILTER_CHARS};
use super::page_size;
use super::token::{self, ListPosition};
use crate::ard::catalog_entry::CatalogEntry;
use crate::prelude::*;
use registry_model::Cursor;
use registry_search::browse::{BrowseQuery, Row};

/// Rows per read where a filter is checked against each row, and the most reads for one page.
const ROWS_PER_READ: usize = 100;
const MAX_READS: usize = 2;

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListQuery {
    /// Conditions such as `type = 'application/mcp-server-card+json'`, joined by AND. Entries show the first 24 `capabilities`.
    #[schemars(length(max = MAX_LIST_FILTER_CHARS), extend("format" = "ard-filter"))]
    filter: Option<String>,
    /// The order; only `name` is supported: the name in the registry API, not `displayName`.
    #[schemars(extend("enum" = ["name", "name asc"]))]
    order_by: Option<String>,
    /// The most entries on a page: at most 100, default 20.
    #[schemars(range(min = 1))]
    page_size: Option<u64>,
    /// The `pageToken` of the previous page.
    #[schemars(extend("format" = "ard-page-token"))]
    page_token: Option<String>,
}

/// A page of all Live listings.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ArdList")]
pub(crate) struct List {
    items: Vec<CatalogEntry>,
    /// `None` if it would need a read of every row.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    /// A page may be shorter than requested and still have a next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    page_token: Option<String>,
}

pub(super) async fn list_entries(app: &App, query: &ListQuery) -> Result<List, Problem> {
    let limit = page_size(query.page_size, 20)?;
    let filter = ListFilter::read(query.filter.as_deref().unwrap_or_default())?;
    check_order(query.order_by.as_deref().unwrap_or_default())?;
    let kind = match filter.kinds() {
        Kinds::Neither => return Ok(List { total: Some(0), ..List::default() }),
        Kinds::Only(kind) => Some(kind),
        Kinds::Both => None,
    };
    let position: ListPosition = token::position(query.page_token.as_deref())?;
    let part = BrowseQuery {
        kind,
        changed_since: filter.updated_after,
        after: position.after,
        ..BrowseQuery::default()
    };
    if filter.looks_at_entries() {
        filtered(app, &filter, BrowseQuery { limit: ROWS_PER_READ, ..part }, position.rows, limit).await
    } else {
        let page = app.search.browse(&BrowseQuery { limit, with_total: true, ..part }).await?;
        let items = page.rows.iter().map(|row| entry_of_row(app, row)).collect();
        let next = page.next.map(|after| page_token(Some(after), 0));
        Ok(List { items, total: page.total, page_token: next })
    }
}

fn page_token(after: Option<String>, rows: usize) -> String {
    Cursor(ListPosition { after, rows }).to_string()
}

/// Up to `limit` matching rows, after `seen_before` rows of the first read.
async fn filtered(
    app: &App,
    filter: &ListFilter,
    mut part: BrowseQuery,
    mut seen_before: usize,
    limit: usize,
) -> Result<List, Problem> {
    let mut list = List::default();
    for _ in 0..MAX_READS {
        let page = app.search.browse(&part).await?;
        for (rows, row) in page.rows.iter().enumerate().skip(std::mem::take(&mut seen_before)) {
            let entry = entry_of_row(app, row);
            if !filter.matches(&row.listing, &serde_json::to_value(&entry).unwrap_or_default()) {
                continue;
            }
            if list.items.len() == limit {
                list.page_token = Some(page_token(part.after, rows));
                return Ok(list);
            }
            list.items.push(entry);
        }
        part.after = page.next;
        if part.after.is_none() {
            return Ok(list);
        }
    }
    list.page_token = Some(page_token(part.after, 0));
    Ok(list)
}

fn check_order(order: &str) -> Result<(), Problem> {
    let mut words = order.split_whitespace();
    let (field, direction) = (words.next().unwrap_or("name"), words.next().unwrap_or("ASC"));
    if field == "name" && direction.eq_ignore_ascii_case("ASC") && words.next().is_none() {
        return Ok(());
    }
    Err(Problem::malformed(
        "`orderBy` must be `name` (in the registry API), which is also the default. To get the newest listings \
         first, use GET /api/listings/active.",
    ))
}

fn entry_of_row(app: &App, row: &Row) -> CatalogEntry {
    CatalogEntry {
        updated_at: Some(row.changed_at),
        ..CatalogEntry::of(&row.listing, row.abilities.clone(), &app.settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_can_be_ordered_only_by_name() {
        for accepted in ["", "name", "name ASC", " name asc "] {
            assert!(check_order(accepted).is_ok(), "{accepted}");
        }
        for other in ["displayName", "name DESC", "updatedAt DESC", "name ASC, updatedAt"] {
            assert!(check_order(other).is_err(), "{other}");
        }
    }
}
