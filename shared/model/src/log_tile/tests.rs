use proptest::prelude::*;

use super::*;

#[test]
fn log_entries_are_split_by_their_stated_lengths() {
    assert_eq!(log_entries(b"\0\x01a\0\0\0\x02bc").collect::<Vec<_>>(), [&b"a"[..], b"", b"bc"]);
    assert_eq!(log_entries(b"\0\x01a\0\x05bc").count(), 1, "cut off");
}

#[test]
fn paths_match_the_specification() {
    let tile = |level, index| LogTile::Hashes { level, index };
    assert_eq!(tile(3, 1_234_067).path(256), "tile/3/x001/x234/067");
    assert_eq!(tile(0, 273).path(112), "tile/0/273.p/112");
    assert_eq!(LogTile::Entries { index: 1000 }.path(1), "tile/entries/x001/000.p/1");
    for path in [
        "0/1",
        "0/0001",
        "0/x000/001",
        "00/001",
        "64/001",
        "0/001.p/0",
        "0/001.p/256",
        "0/001.p/01",
        "data/001",
        "0/001/",
        "0//001",
        "0/+01",
        "entries/x99/001",
        "0/x999/x999/x999/x999/x999/x999/x999/999",
        "0",
        "",
    ] {
        assert_eq!(LogTile::parse(path), None, "{path}");
    }
}

#[test]
fn partial_tiles_match_the_specification() {
    // C2SP tlog-tiles, "Partial Tiles".
    let width = |level, index| LogTile::Hashes { level, index }.width_in(70_000);
    assert_eq!([width(0, 272), width(0, 273), width(0, 274)], [256, 112, 0]);
    assert_eq!([width(1, 0), width(1, 1), width(2, 0), width(3, 0)], [256, 17, 1, 0]);
    assert_eq!(LogTile::Entries { index: 273 }.width_in(70_000), 112);
    assert_eq!(LogTile::Hashes { level: 1, index: 0 }.width_in(256), 1);
    assert_eq!(LogTile::Hashes { level: 63, index: u64::MAX }.width_in(u64::MAX), 0);
}

proptest! {
    #[test]
    fn tile_path_is_parsed_as_the_same_tile(level in 0_u8..64, index: u64, width in 1_u64..=256, entries: bool) {
        let tile = if entries { LogTile::Entries { index } } else { LogTile::Hashes { level, index } };
        let path = tile.path(width);
        prop_assert_eq!(LogTile::parse(path.strip_prefix("tile/").unwrap()), Some((tile, width)));
    }
}
