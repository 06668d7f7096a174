use super::*;

#[test]
fn ids_that_can_be_guessed_are_recognized() {
    for hard in [
        "acc3fa2b1c90001",
        "6f1c1f0e-3b1d-4b57-9a53-0d5c4a8f2b11",
        "6f1c1f0e3b1d4b579a530d5c4a8f2b11",
        "task-9f86d081884c7d65",
    ] {
        assert!(is_hard_to_guess(hard), "{hard}");
    }
    for easy in [
        "",
        "1",
        "task-1",
        "my-own",
        "task-2026-11-24",
        "weather-forecast-for-berlin",
        "000000000000",
        "00000000-0000-0000-0000-000000000001",
        "jane1234567890@example.org",
    ] {
        assert!(!is_hard_to_guess(easy), "{easy}");
    }
}

#[test]
fn only_context_ids_of_this_registry_are_recognized() {
    let ours = "ctx-00112233445566778899aabbccddeeff";
    assert!(is_own_context_id(ours));
    for other in [
        "",
        "ctx-",
        "session-1",
        "00112233-4455-8677-a899-aabbccddeeff",
        &ours[..ours.len() - 1],
        &ours.to_uppercase(),
        "ctx-00112233445566778899aabbccddeefg",
    ] {
        assert!(!is_own_context_id(other), "{other}");
    }
}
