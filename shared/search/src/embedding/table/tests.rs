use super::*;

#[test]
fn random_letters_are_not_understood() {
    for word in ["wedding", "weddings", "ci", "天気"] {
        assert!(is_understood(word), "{word}");
    }
    for word in ["asdfqwerzxcv", "qwertzuiop", "xkcdzzqj", "blrgh"] {
        assert!(!is_understood(word), "{word}");
    }
}

#[test]
fn inflected_words_are_ordinary() {
    for word in ["weather", "puppies", "sneakers", "wedding", "weddings"] {
        assert!(is_ordinary(word), "{word}");
    }
    for word in ["kubernettes", "calender", "managment", "ing", "s"] {
        assert!(!is_ordinary(word), "{word}");
    }
}

#[test]
fn unknown_word_piece_adds_nothing_to_the_vector() {
    let mut sum = [0.0; WORD_WIDTH];
    add(u32::MAX, &mut sum);
    assert_eq!(sum, [0.0; WORD_WIDTH]);
    add(0, &mut sum);
    assert!(sum.iter().all(|part| *part != 0.0), "no component is zero");
}
