//! Characters that a reader does not see, or that change what a reader sees.

use super::error::shorten;

/// Whether a character usually has no visible form: the property `Default_Ignorable_Code_Point` of Unicode 16, the marks of
/// annotations, and what is no character: XML forbids it. People do not see such characters, but language models read them.
pub const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{FFFE}'..='\u{FFFF}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Whether a character changes the order in which its neighbours are shown.
pub const fn is_reordering(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character selects another form of the character before it, such as the coloured form of a sign.
pub const fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{180B}'..='\u{180D}' | '\u{180F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

/// Whether a character does not belong in one shown line: a control character, a line end, or an invisible one.
pub fn is_hidden(c: char) -> bool {
    c.is_control() || is_invisible(c) || matches!(c, '\u{2028}'..='\u{2029}')
}

/// One line of at most `limit` characters, without control, formatting and reordering characters.
pub fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    let mut left = limit.saturating_mul(2);
    for c in text.chars() {
        let c = if c.is_whitespace() || is_hidden(c) { ' ' } else { c };
        if !(c == ' ' && (line.is_empty() || line.ends_with(' '))) {
            line.push(c);
            left = left.saturating_sub(1);
        }
        if left == 0 {
            break;
        }
    }
    shorten(line.trim_end(), limit)
}

/// Whether a character does not belong in the text of a caller: a control character, or one that changes the direction.
pub fn is_control_or_direction(c: char) -> bool {
    c.is_control()
        || is_reordering(c)
        || matches!(c, '\u{200E}'..='\u{200F}' | '\u{61C}' | '\u{FFFE}'..='\u{FFFF}')
}
