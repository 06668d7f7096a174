use super::*;

#[test]
fn a_quantized_vector_has_length_one() {
    let vector = vector("query a postgres database").unwrap();
    assert!((length(&vector) - 1.0).abs() < 0.01);
    assert_eq!(embed("\u{1F980}"), Embedding::default());
}

#[test]
fn embedding_of_another_width_counts_as_unknown() {
    let old = Embedding { scale: 0.1, parts: vec![1; WORD_WIDTH] };
    assert!(old.is_outdated() && !embed("weather").is_outdated() && !Embedding::elsewhere().is_outdated());
    assert_eq!(old.components(), [0.0; WIDTH]);
}

#[test]
fn nearest_row_has_the_same_subject() {
    let mut many = EmbeddingMatrix::<WIDTH>::default();
    for text in ["weather forecast", "\u{1F980}", "invoices and payments"] {
        many.push(&embed(text));
    }
    let query = vector("will it rain").unwrap();
    let near = many.similarities(&query);
    assert!(near[0] > near[2] && near[1] == 0.0, "{near:?}");
    assert_eq!(many.similarities_of([2, 0].into_iter(), &query).collect::<Vec<_>>(), [near[2], near[0]]);
    let weather = vector("weather forecast").unwrap();
    assert!((near[0] - dot(&weather, &query)).abs() < 0.01, "{near:?}");
    let left = many.retained(|number| number != 0);
    assert_eq!(left.similarities(&query), near[1..]);
}

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
    add_piece(u32::MAX, &mut sum);
    assert_eq!(sum, [0.0; WORD_WIDTH]);
    add_piece(0, &mut sum);
    assert!(sum.iter().all(|part| *part != 0.0), "no component is zero");
}
