use super::*;
use registry_model::{DiscountCode, Kind, ListingId, OrderId, PurchaseId, Random, Sku};

fn base64url<const N: usize>(random: &Random) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    random.bytes::<N>().iter().map(|byte| char::from(ALPHABET[usize::from(byte % 64)])).collect()
}

#[test]
fn random_keys_are_accepted() {
    let random = Random::seeded(11);
    for _ in 0..20_000 {
        let mut uuid = random.bytes::<16>();
        uuid[6] = uuid[6] & 0x0F | 0x40;
        uuid[8] = uuid[8] & 0x3F | 0x80;
        let hex: String = uuid.iter().map(|byte| format!("{byte:02x}")).collect();
        let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
        for key in [
            parts.join("-"),
            parts.join("-").to_uppercase(),
            random.hex(16),
            random.hex(32),
            base64url::<32>(&random) + "==",
        ] {
            assert!(is_hard_to_guess(&key), "{key}");
        }
    }
    // 22 characters lack upper or lower case letters about twice in 100,000 keys.
    let keys = (0..20_000).map(|_| base64url::<22>(&random));
    assert!(keys.filter(|key| !is_hard_to_guess(key)).count() <= 4);
}

#[test]
fn guessable_keys_are_refused() {
    let (random, url) = (Random::seeded(5), "https://a.example.org/card.json".parse().unwrap());
    let id = ListingId::of_url(&url);
    let long = random.hex(101);
    let made_up = "0123456789abcdef 12345678901234567890123456789012 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa \
                   deadbeefdeadbeefdeadbeefdeadbeef 00000000-0000-4000-8000-000000000000 \
                   12345678-1234-4234-8234-123456789abc c232ab00-9414-11ec-b3c8-9f6bdeced846 \
                   correct-horse-battery-staple CorrectHorseBatteryStaple PASSWORD-password-Password \
                   AbcDefGhiJklMnoPqrStuVwx abcABCabcABCabcABCabcABC 7fd9c1b26a0e7f0c2f5d4a44 6a0e7f0c-2f5d-4a44";
    for key in made_up.split(' ').chain([
        "",
        "8KQ5xw0ZJ3p Wm2dT9cVbY1nR",
        OrderId::of(&id, Sku::Alive).as_str(),
        PurchaseId::new(&random).as_str(),
        ListingId::of_name(Kind::Mcp, "com.example.weather/forecast-of-tomorrow").as_str(),
        DiscountCode::new(&random).reveal(),
        &long,
    ]) {
        assert!(!is_hard_to_guess(key), "{key}");
    }
}
