use super::*;

/// The file contains vectors of the unchanged model, and texts that are not longer than [`MAX_PIECES`].
#[test]
fn vectors_are_close_to_those_of_the_unchanged_model() {
    let mut lowest = 1.0_f32;
    for line in include_str!("../assets/reference.txt").lines() {
        let (text, numbers) = line.split_once('\t').unwrap();
        let reference: Vec<f32> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
        let similarity = dot(&vector(text).unwrap(), &reference);
        println!("{similarity:.4} {text}");
        lowest = lowest.min(similarity);
    }
    assert!(lowest > 0.97, "{lowest}");
}

#[test]
fn texts_with_the_same_meaning_are_similar() {
    let alike = |a: &str, b: &str| dot(&vector(a).unwrap(), &vector(b).unwrap());
    let request = "will it rain tomorrow";
    assert!(alike(request, "Weather forecast by city") > alike(request, "Slack: post to channels") + 0.2);
    assert_eq!(vector("\u{1F980}"), None);
    assert_eq!(vector(""), None);
}

#[test]
fn a_long_text_is_cut() {
    let words = "weather ".repeat(MAX_PIECES);
    let longer = format!("{words}{}", "invoice ".repeat(5000));
    assert_eq!(vector(&words), vector(&longer));
}
