//! Rules that hold for every input, tried on random ones: the judge, the cursors, the budget.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::join_all;
use jiff::SignedDuration;
use local::engine::{self, Data, Embedded};
use proptest::prelude::*;
use registry::model::{Assessment, Clock, Facts, Handshake, Kind, Lane, Listing, Moment, Reach, Verdict};
use registry::probe::transition::{Job, after_probe};
use registry::publish::submission::{PublishRequest, Submission};
use registry::settings::{Mode, Settings};
use registry::store::{Caps, Store, table};
use registry::views::active_page::{Cursor, Place};
use tests::fixtures;

const NOW: i64 = 1_795_176_000;

fn settings() -> Settings {
    Settings::from_env(Mode::Public, |_| None).unwrap()
}

fn lanes() -> impl Strategy<Value = Lane> {
    prop::sample::select(vec![Lane::Queued, Lane::Active, Lane::NeedsFix, Lane::Demoted])
}

fn listings() -> impl Strategy<Value = Listing> {
    (lanes(), 0_u32..40, prop::collection::btree_set(0_i64..200, 0..3), 0_i64..200 * 3600, any::<u32>())
        .prop_map(|(lane, failures, strikes, ok_ago, host)| {
            let url = Some(format!("https://h{host}.example.org/agent-card.json"));
            let submission =
                Submission::parse(PublishRequest { url, ..PublishRequest::default() }, Reach::Public)
                    .unwrap();
            let now = Moment::from_second(NOW).unwrap();
            let mut listing = submission.listing(submission.ids().0, now - SignedDuration::from_hours(300));
            listing.lane = lane;
            listing.failures = failures;
            listing.lease = Some("mark".to_owned());
            listing.lease_until = NOW * 1000;
            if lane == Lane::Active {
                listing.strikes = strikes.into_iter().map(|ago| NOW / 3600 - ago).collect();
                listing.live_since = Some(now - SignedDuration::from_secs(ok_ago));
                listing.last_ok_at = listing.live_since;
            }
            listing
        })
}

fn evidences() -> impl Strategy<Value = Assessment> {
    let handshakes =
        prop::sample::select(vec![Handshake::Ok, Handshake::Partial, Handshake::Fail, Handshake::Skip]);
    let waits = prop::option::of((0_u64..100 * 3600).prop_map(Duration::from_secs));
    (handshakes, any::<bool>(), waits, any::<bool>()).prop_map(
        |(handshake, inconclusive, retry_after, clean)| {
            let facts = Facts { kind: Some(Kind::Agent), ..Facts::default() };
            let inconclusive = inconclusive && handshake != Handshake::Ok;
            let verdict = Verdict { inconclusive, retry_after, ..fixtures::verdict(handshake, facts) };
            fixtures::assessment(verdict, clean, Moment::from_second(NOW).unwrap())
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_transition_keeps_the_rules_of_the_lanes(
        before in listings(),
        evidence in evidences(),
        recheck in any::<bool>(),
    ) {
        let job = if recheck { Job::Recheck } else { Job::Tick };
        let after = after_probe(&before, &evidence, job, &settings());
        let good = evidence.verdict.handshake == Handshake::Ok && evidence.is_clean();
        let now = evidence.probed_at;
        let week = SignedDuration::from_hours(7 * 24);

        prop_assert_eq!(&after.lease, &None, "a judged listing is nobody's");
        prop_assert!(after.due_at > now && after.due_at <= now + week, "it is asked again, and not at once");
        prop_assert_eq!(after.lane == Lane::Active, good || (before.lane == Lane::Active && after.lane != Lane::Demoted));
        if good {
            prop_assert_eq!((after.failures, after.strikes.len()), (0, 0));
            prop_assert_eq!(after.last_ok_at, Some(now));
            prop_assert!(after.due_at < now + week);
        } else if before.lane == Lane::Active {
            prop_assert!(job == Job::Recheck || after.lane == Lane::Active, "a tick never demotes");
            let strikes: BTreeSet<i64> = after.strikes.iter().copied().collect();
            prop_assert_eq!(strikes.len(), after.strikes.len(), "an hour counts once");
            if after.lane == Lane::Demoted {
                let hours: BTreeSet<i64> = before.strikes.iter().copied().chain([NOW / 3600]).collect();
                prop_assert!(hours.len() >= 3, "demoted after {} hours", hours.len());
                let silence = before.last_ok_at.map(|last| now.duration_since(last));
                let week_over = silence.is_none_or(|silence| silence >= week - SignedDuration::from_hours(1));
                prop_assert!(!evidence.verdict.inconclusive || week_over, "silence demotes when the week is over");
            } else {
                prop_assert_eq!(after.live_since, before.live_since);
                prop_assert_eq!(&after.probe, &before.probe, "it stands by its proof");
            }
        } else {
            let wanted = match (before.lane, evidence.verdict.inconclusive) {
                (Lane::Demoted, _) => Lane::Demoted,
                (_, true) => Lane::Queued,
                (_, false) => Lane::NeedsFix,
            };
            prop_assert_eq!(after.lane, wanted);
            prop_assert!(after.due_at >= now + SignedDuration::from_secs(360), "not within six minutes");
        }
    }

    #[test]
    fn a_cursor_survives_the_way_there_and_back(agents in places(), mcps in places()) {
        let cursor = Cursor { agents, mcps };
        match cursor.write() {
            None => prop_assert_eq!((cursor.agents, cursor.mcps), (Place::End, Place::End)),
            Some(text) => {
                prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'), "{}", text);
                prop_assert_eq!(Cursor::read(&text).unwrap(), cursor);
            }
        }
    }

    #[test]
    fn any_text_for_a_cursor_is_read_or_refused_by_name(text in "\\PC{0,60}") {
        if let Err(problem) = Cursor::read(&text) {
            prop_assert_eq!((problem.status.as_u16(), problem.field.as_deref()), (422, Some("cursor")));
        }
    }
}

fn places() -> impl Strategy<Value = Place> {
    let ids = "(agtpub_[0-9a-f]{20}|(agent|mcp)-[a-z0-9][a-z0-9._-]{0,30})";
    prop_oneof![
        Just(Place::Start),
        Just(Place::End),
        (0_i64..9_999_999_999_999, ids).prop_map(|(millis, id)| Place::After(format!("{millis:013}#{id}"))),
    ]
}

/// A sweep that wants probes at some second.
fn sweeps() -> impl Strategy<Value = Vec<(u32, i64)>> {
    prop::collection::vec((0_u32..9, 0_i64..600), 1..24)
}

async fn empty_store() -> Store {
    let engine = Embedded::open(&Data::Memory, &Clock::System).unwrap();
    let client = engine::client(engine);
    table::ensure(&client, "registry").await.unwrap();
    Store::new(client, "registry")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sweeps_at_once_never_spend_more_than_a_cap(sweeps in sweeps(), window in 1_u32..12, hour in 1_u32..30, day in 1_u32..40) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let caps = Caps { window, hour, day };
        runtime.block_on(async {
            let store = empty_store().await;
            let at = |second: i64| Moment::from_second(NOW + second).unwrap();
            let taken = join_all(sweeps.iter().map(|(wanted, second)| store.take_probes(*wanted, caps, at(*second))));
            let taken: Vec<u32> = taken.await.into_iter().map(Result::unwrap).collect();
            for (got, (wanted, _)) in taken.iter().zip(&sweeps) {
                prop_assert!(got <= wanted);
            }
            for bucket in 0..5 {
                let (from, to) = (bucket * 120, bucket * 120 + 120);
                let in_it = sweeps.iter().zip(&taken).filter(|((_, second), _)| (from..to).contains(second));
                let spent: u32 = in_it.map(|(_, got)| got).sum();
                let state = store.budget(at(from)).await.unwrap();
                prop_assert!(spent <= window, "{} in a window of {}", spent, window);
                prop_assert_eq!(state.window.used, spent, "what is granted is what is counted");
            }
            let all: u32 = taken.iter().sum();
            let state = store.budget(at(0)).await.unwrap();
            prop_assert!(all <= hour.min(day));
            prop_assert_eq!((state.hour.used, state.day.used), (all, all));
            let wanted: u32 = sweeps.iter().map(|(wanted, _)| wanted).sum();
            prop_assert!(all > 0 || wanted == 0, "a free budget is given out");
            Ok(())
        })?;
    }
}
