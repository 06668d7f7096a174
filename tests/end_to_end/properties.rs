//! Property tests for lane transitions, cursors and the probe budget.

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
use registry::store::{Caps, Share, Store, table};
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
            listing.schedule.failures = failures;
            listing.schedule.lease.token = Some("mark".to_owned());
            listing.schedule.lease.until = NOW * 1000;
            if lane == Lane::Active {
                listing.schedule.strikes = strikes.into_iter().map(|ago| NOW / 3600 - ago).collect();
                listing.proof.live_since = Some(now - SignedDuration::from_secs(ok_ago));
                listing.proof.last_ok_at = listing.proof.live_since;
            }
            listing
        })
}

fn assessments() -> impl Strategy<Value = Assessment> {
    let handshakes =
        prop::sample::select(vec![Handshake::Ok, Handshake::Partial, Handshake::Fail, Handshake::Skip]);
    let waits = prop::option::of((0_u64..100 * 3600).prop_map(Duration::from_secs));
    (handshakes, any::<bool>(), waits, any::<bool>()).prop_map(
        |(handshake, inconclusive, retry_after, clean)| {
            let facts = Facts { kind: Some(Kind::Agent), ..Facts::default() };
            let inconclusive = inconclusive && handshake != Handshake::Ok;
            let verdict = Verdict { inconclusive, retry_after, handshake, facts, ..Verdict::default() };
            fixtures::assessment(verdict, clean, Moment::from_second(NOW).unwrap())
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn state_changes_after_a_probe_follow_the_rules_of_the_lanes(
        before in listings(),
        assessment in assessments(),
        recheck in any::<bool>(),
    ) {
        let job = if recheck { Job::Recheck } else { Job::Tick };
        let after = after_probe(&before, &assessment, job, &settings());
        let is_good = assessment.verdict.handshake == Handshake::Ok && assessment.is_clean();
        let now = assessment.probed_at;
        let week = SignedDuration::from_hours(7 * 24);

        prop_assert_eq!(&after.schedule.lease.token, &None, "a verdict releases the lease");
        prop_assert!(after.schedule.due_at > now && after.schedule.due_at <= now + week, "the next probe is later and within a week");
        prop_assert_eq!(after.lane == Lane::Active, is_good || (before.lane == Lane::Active && after.lane != Lane::Demoted));
        if is_good {
            prop_assert_eq!((after.schedule.failures, after.schedule.strikes.len()), (0, 0));
            prop_assert_eq!(after.proof.last_ok_at, Some(now));
            prop_assert!(after.schedule.due_at < now + week);
        } else if before.lane == Lane::Active {
            let fails_a_check = assessment.verdict.handshake == Handshake::Ok;
            prop_assert!(!fails_a_check || after.lane == Lane::Demoted, "a failed check demotes at once");
            prop_assert!(fails_a_check || job == Job::Recheck || after.lane == Lane::Active, "a tick never demotes");
            let strikes: BTreeSet<i64> = after.schedule.strikes.iter().copied().collect();
            prop_assert_eq!(strikes.len(), after.schedule.strikes.len(), "an hour counts once");
            if after.lane == Lane::Demoted && !fails_a_check {
                let hours: BTreeSet<i64> = before.schedule.strikes.iter().copied().chain([NOW / 3600]).collect();
                prop_assert!(hours.len() >= 3, "demoted after {} hours", hours.len());
                let silence = before.proof.last_ok_at.map(|last| now.duration_since(last));
                let week_over = silence.is_none_or(|silence| silence >= week - SignedDuration::from_hours(1));
                prop_assert!(!assessment.verdict.inconclusive || week_over, "an inconclusive probe demotes only at the end of the week");
            } else if !fails_a_check {
                prop_assert_eq!(after.proof.live_since, before.proof.live_since);
                prop_assert_eq!(&after.proof.probe, &before.proof.probe, "the last proof is still shown");
            }
        } else {
            let expected = match (before.lane, assessment.verdict.inconclusive) {
                (Lane::Demoted, _) => Lane::Demoted,
                (_, true) => Lane::Queued,
                (_, false) => Lane::NeedsFix,
            };
            prop_assert_eq!(after.lane, expected);
            prop_assert!(after.schedule.due_at >= now + SignedDuration::from_secs(360), "no probe within six minutes");
        }
    }
}

/// How many probes each sweep requests, and in which second.
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
    fn concurrent_probe_runs_never_exceed_a_budget(
        sweeps in sweeps(), window in 1_u32..12, hour in 1_u32..30, day in 1_u32..40,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (caps, any) = (Caps { window, hour, day }, Share::default());
        runtime.block_on(async {
            let store = empty_store().await;
            let at = |second: i64| Moment::from_second(NOW + second).unwrap();
            let granted = join_all(sweeps.iter().map(|(requested, second)| store.take_probes(*requested, &any, caps, at(*second))));
            let granted: Vec<u32> = granted.await.into_iter().map(Result::unwrap).collect();
            for (got, (requested, _)) in granted.iter().zip(&sweeps) {
                prop_assert!(got <= requested);
            }
            for bucket in 0..5 {
                let (from, to) = (bucket * 120, bucket * 120 + 120);
                let in_it = sweeps.iter().zip(&granted).filter(|((_, second), _)| (from..to).contains(second));
                let spent: u32 = in_it.map(|(_, got)| got).sum();
                let state = store.budget(at(from)).await.unwrap();
                prop_assert!(spent <= window, "{} in a window of {}", spent, window);
                prop_assert_eq!(state.window.used, spent, "the granted probes are the counted ones");
            }
            let all: u32 = granted.iter().sum();
            let state = store.budget(at(0)).await.unwrap();
            prop_assert!(all <= hour.min(day));
            prop_assert_eq!((state.hour.used, state.day.used), (all, all));
            let requested: u32 = sweeps.iter().map(|(requested, _)| requested).sum();
            prop_assert!(all > 0 || requested == 0, "a free budget is granted");
            Ok(())
        })?;
    }
}
