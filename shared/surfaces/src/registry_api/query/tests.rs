use super::*;

fn parse(query: &str) -> Result<ServerQuery, Problem> {
    ServerQuery::parse(&Parameters::parse(query.as_bytes()), None)
}

fn rejected(query: &str) -> (u16, String) {
    let problem = parse(query).unwrap_err();
    (crate::errors::status(problem.kind).as_u16(), problem.field.unwrap())
}

#[test]
fn cursor_of_each_part_is_unchanged_after_encoding_and_decoding() {
    let begin = |query: &str| parse(query).unwrap().begin;
    let position = "1795176000000#mcp-com-example-my-server";
    let cursor = Cursor::Deleted(Some(position.to_owned())).write();
    assert_eq!(cursor, "deleted:1795176000000:mcp-com-example-my-server");
    for cursor in [
        Cursor::Deleted(Some(position.to_owned())),
        Cursor::Deleted(None),
        Cursor::Packages(Some(position.to_owned())),
        Cursor::Packages(None),
    ] {
        assert_eq!(begin(&format!("cursor={}", cursor.write())), cursor);
    }
    for text in ["deleted:x", "deleted:1795176000000", "packages:179:mcp-x", "deleted:1795176000000:x y"] {
        assert_eq!(rejected(&format!("cursor={text}")), (400, "cursor".to_owned()), "{text}");
    }
}

#[test]
fn parts_of_the_list_follow_each_other() {
    let parts = |query: &str| {
        let query = parse(query).unwrap();
        let mut parts = vec![query.begin.clone()];
        while let Some(next) = query.after(&parts[parts.len() - 1]) {
            parts.push(next);
        }
        parts
    };
    let (live, packages, deleted) = (Cursor::Live(None), Cursor::Packages(None), Cursor::Deleted(None));
    assert_eq!(parts("limit=3"), vec![live.clone()]);
    for access in ["access=open", "access=gated"] {
        assert_eq!(parts(access), vec![live.clone()]);
    }
    assert_eq!(parts("access=package"), [live.clone(), packages.clone()]);
    assert_eq!(parts("updated_since=2026-11-20T12:00:00Z"), [live.clone(), deleted.clone()]);
    assert_eq!(parts("updated_since=2026-11-20T12:00:00Z&include_deleted=false"), vec![live.clone()]);
    assert_eq!(parts("access=all&include_deleted=true"), [live, packages, deleted]);
    assert_eq!(rejected("access=closed"), (422, "access".to_owned()));
}
