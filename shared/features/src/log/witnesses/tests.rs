use ed25519_dalek::{Signer as _, SigningKey};

use super::*;

/// The example of C2SP `tlog-cosignature`.
const CHECKPOINT: &str = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n\
    — example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n";

#[test]
fn cosignature_counts_only_with_the_key_and_the_checkpoint_of_the_witness() {
    let key = SigningKey::from_bytes(&[3; 32]);
    let witness = LogWitness {
        name: "witness.example.com/w1".to_owned(),
        vkey: String::new(),
        key_id: 7,
        key: key.verifying_key().to_bytes(),
        url: String::new(),
    };
    let note = Note::from_bytes(CHECKPOINT.as_bytes()).unwrap();
    let line = |text: &[u8], name: &str, id: u32| {
        let time = 1_679_315_147_u64;
        let signed = [format!("cosignature/v1\ntime {time}\n").as_bytes(), text].concat();
        let signature = [&time.to_be_bytes()[..], &key.sign(&signed).to_bytes()].concat();
        let line = Signature::new(name.to_owned(), id, signature).unwrap();
        String::from_utf8(line.to_bytes()).unwrap()
    };
    let good = line(note.text(), &witness.name, 7);
    let of = |answer: &str| cosignature(&witness, CHECKPOINT, answer);
    let at: Moment = "2023-03-20T12:25:47Z".parse().unwrap();
    let other = line(note.text(), "witness.example.com/w2", 7);
    assert_eq!(of(&format!("{other}{good}")), Some((good.clone(), at)));
    for wrong in [
        String::new(),
        "text".to_owned(),
        other,
        line(note.text(), &witness.name, 8),
        line(
            b"example.com/behind-the-sofa\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
            &witness.name,
            7,
        ),
    ] {
        assert_eq!(of(&wrong), None, "{wrong}");
    }
}
