//! The style sheet, the script and the icon of the pages. Their file names contain a hash of their content.
//! So they can be cached for a year, and a browser still loads a changed file at once.

use bytes::Bytes;

use crate::documents::{Document, DocumentRequest, NoQuery};
use registry_app::App;
use registry_model::error::Problem;

const STYLE: &[u8] = include_bytes!("../../assets/pages/style.css");
const CODE: &[u8] = include_bytes!("../../assets/pages/script.js");
const IMAGE: &[u8] = include_bytes!("../../assets/pages/icon.svg");

const YEAR_S: u32 = 31_536_000;

pub(super) const STYLE_PATH: &str = text(&named::<34>(b"/assets/style-", STYLE, b".css"));
pub(super) const SCRIPT_PATH: &str = text(&named::<34>(b"/assets/script-", CODE, b".js"));
pub(super) const ICON_PATH: &str = text(&named::<33>(b"/assets/icon-", IMAGE, b".svg"));

/// The style sheet, the script or the icon.
#[derive(Debug)]
pub(super) struct Asset<const INDEX: usize>;

pub(super) type StyleSheet = Asset<0>;
pub(super) type Script = Asset<1>;
pub(super) type Icon = Asset<2>;

/// Paths, summary, media type and content.
const ASSETS: [(&[&str], &str, &str, &[u8]); 3] = [
    (&[STYLE_PATH], "The style sheet of the pages.", "text/css; charset=utf-8", STYLE),
    (
        &[SCRIPT_PATH],
        "The script of the pages, which also work without it.",
        "text/javascript; charset=utf-8",
        CODE,
    ),
    (&[ICON_PATH, "/favicon.ico"], "The icon of the pages.", "image/svg+xml; charset=utf-8", IMAGE),
];

impl<const INDEX: usize> Document for Asset<INDEX> {
    const PATHS: &'static [&'static str] = ASSETS[INDEX].0;
    const SUMMARY: &'static str = ASSETS[INDEX].1;
    const MEDIA_TYPE: &'static str = ASSETS[INDEX].2;
    const MAX_AGE_S: Option<u32> = Some(YEAR_S);
    type Query = NoQuery;
    type Answer = String;

    async fn render(_: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        Ok(Bytes::from_static(ASSETS[INDEX].3))
    }
}

/// The path with a hash of the content, at compile time, because routes are constants.
const fn named<const LENGTH: usize>(before: &[u8], content: &[u8], after: &[u8]) -> [u8; LENGTH] {
    let (mut path, hash) = ([0; LENGTH], hash(content));
    let (mut at, mut digit) = (0, 0);
    while at < before.len() {
        path[at] = before[at];
        at += 1;
    }
    while digit < 16 {
        path[at] = b"0123456789abcdef"[(hash >> (60 - 4 * digit)) as usize & 15];
        at += 1;
        digit += 1;
    }
    let start = at;
    while at < LENGTH {
        path[at] = after[at - start];
        at += 1;
    }
    path
}

/// 64-bit FNV-1a: it only has to tell versions of a file apart.
const fn hash(content: &[u8]) -> u64 {
    let (mut hash, mut at) = (0xcbf2_9ce4_8422_2325_u64, 0);
    while at < content.len() {
        hash = (hash ^ content[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

const fn text(ascii: &[u8]) -> &str {
    match str::from_utf8(ascii) {
        Ok(text) => text,
        Err(_) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_contains_the_hash_of_the_content() {
        assert_eq!(hash(b"foobar"), 0x8594_4171_f739_67e8, "from the test vectors of the authors");
        for (path, content) in [(STYLE_PATH, STYLE), (SCRIPT_PATH, CODE), (ICON_PATH, IMAGE)] {
            assert!(path.contains(&format!("-{:016x}.", hash(content))), "{path}");
        }
        assert!(STYLE_PATH.starts_with("/assets/style-") && STYLE_PATH.ends_with(".css"), "{STYLE_PATH}");
        assert!(SCRIPT_PATH.starts_with("/assets/script-") && SCRIPT_PATH.ends_with(".js"), "{SCRIPT_PATH}");
        assert!(ICON_PATH.starts_with("/assets/icon-") && ICON_PATH.ends_with(".svg"), "{ICON_PATH}");
    }

    #[test]
    fn assets_are_small() {
        assert!(STYLE.len() + CODE.len() + IMAGE.len() < 32 * 1024, "{} + {}", STYLE.len(), CODE.len());
    }
}
