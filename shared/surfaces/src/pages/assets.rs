//! The style sheet, the script and the icon of the pages. Their file names contain a hash of their content.
//! So they can be cached for a year, and a browser still loads a changed file at once.

use crate::documents::Render;
use crate::prelude::*;

const STYLE: &[u8] = include_bytes!("../../assets/pages/style.css");
const CODE: &[u8] = include_bytes!("../../assets/pages/script.js");
const IMAGE: &[u8] = include_bytes!("../../assets/pages/icon.svg");

pub(super) const STYLE_PATH: &str = ascii_text(&named::<34>(b"/assets/style-", STYLE, b".css"));
pub(super) const SCRIPT_PATH: &str = ascii_text(&named::<34>(b"/assets/script-", CODE, b".js"));
pub(super) const ICON_PATH: &str = ascii_text(&named::<33>(b"/assets/icon-", IMAGE, b".svg"));

pub(super) static STYLE_SHEET: AnyDocument = AnyDocument {
    paths: &[STYLE_PATH],
    summary: "The style sheet of the pages.",
    media_type: "text/css; charset=utf-8",
    ..asset(|_, _| Box::pin(async { Ok(Bytes::from_static(STYLE)) }))
};

pub(super) static SCRIPT: AnyDocument = AnyDocument {
    paths: &[SCRIPT_PATH],
    summary: "The script of the pages, which also work without it.",
    media_type: "text/javascript; charset=utf-8",
    ..asset(|_, _| Box::pin(async { Ok(Bytes::from_static(CODE)) }))
};

pub(super) static ICON: AnyDocument = AnyDocument {
    paths: &[ICON_PATH, "/favicon.ico"],
    summary: "The icon of the pages.",
    media_type: "image/svg+xml; charset=utf-8",
    ..asset(|_, _| Box::pin(async { Ok(Bytes::from_static(IMAGE)) }))
};

const fn asset(render: Render) -> AnyDocument {
    AnyDocument { max_age_s: Some(31_536_000), ..AnyDocument::of::<String>(render) }
}

/// The path with a hash of the content, at compile time, because routes are constants.
const fn named<const LENGTH: usize>(before: &[u8], content: &[u8], after: &[u8]) -> [u8; LENGTH] {
    let (mut path, hash) = ([0; LENGTH], hash(content));
    let (start, rest) = path.split_at_mut(before.len());
    start.copy_from_slice(before);
    let (digits, end) = rest.split_at_mut(16);
    end.copy_from_slice(after);
    let mut at = 0;
    while at < 16 {
        digits[at] = b"0123456789abcdef"[(hash >> (60 - 4 * at)) as usize & 15];
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

const fn ascii_text(ascii: &[u8]) -> &str {
    match str::from_utf8(ascii) {
        Ok(text) => text,
        Err(_) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assets_are_small() {
        assert!(STYLE.len() + CODE.len() + IMAGE.len() < 32 * 1024, "{} + {}", STYLE.len(), CODE.len());
    }
}
