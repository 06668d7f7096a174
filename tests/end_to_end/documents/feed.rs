//! Tests `/api/feed`: the events of listings, newest first.

use crate::fixtures::refused_queries;

#[tokio::test]
async fn error_contains_the_invalid_query_argument() {
    let refused = refused_queries(&["/api/feed?limit=0", "/api/feed?cursor=%00"]).await;
    insta::assert_snapshot!(refused, @"
    /api/feed?limit=0
      422 out_of_range `limit`: `limit` must be a whole number from 1 to 100.
    /api/feed?cursor=%00
      422 bad_cursor `cursor`: `cursor` must be the next_cursor of an earlier page; leave it out for the first page.
    ");
}
