use super::*;
use registry_fetch::TlsFailure;

#[test]
fn every_fetch_error_becomes_the_matching_fault() {
    let unknown = Box::new(FetchError::NameNotFound);
    let table = [
        (FetchError::Blocked(TargetError::PrivateAddress), "blocked_ip"),
        (FetchError::OwnHost, "own_host"),
        (FetchError::Blocked(TargetError::Scheme), "url_refused"),
        (FetchError::NameNotFound, "dns_nxdomain"),
        (FetchError::NameUnresolved, "dns_failed"),
        (FetchError::Refused, "conn_refused"),
        (FetchError::AfterRedirect { origin: String::new(), error: unknown }, "dns_nxdomain"),
        (FetchError::Tls(TlsFailure::Other), "tls_error"),
        (FetchError::Timeout { after: PROBE }, "timeout"),
        (FetchError::Timeout { after: Duration::ZERO }, "requests_used_up"),
        (FetchError::TooLarge { limit: MAX_ENDPOINT_ANSWER_BYTES }, "answer_too_large"),
        (FetchError::TooLarge { limit: 9 }, "answers_too_large"),
        (FetchError::TooManyRedirects, "redirected"),
        (FetchError::BadRedirect, "redirected"),
        (FetchError::Broken, "conn_lost"),
        (FetchError::BadEncoding, "bad_encoding"),
    ];
    for (error, code) in table {
        assert_eq!(fault_of(&error, ProbedResource::Remote, Stage::Probe).code(), code, "{error:?}");
    }
    let preflight = fault_of(
        &FetchError::Timeout { after: registry_fetch::PREFLIGHT },
        ProbedResource::Card,
        Stage::Preflight,
    );
    assert_eq!(preflight.reason("").reason, "preflight timeout (2500 ms)");
}

#[test]
fn task_and_message_ids_are_uuids() {
    let (fetcher, random) = (Fetcher::new(Reach::Public, "test", None), Random::seeded(1));
    let mut findings = Findings::default();
    let peer = Conversation::new(&fetcher, &random, &mut findings, PROBE, None);
    let uuid = peer.uuid();
    assert_eq!(uuid.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
    assert_ne!(peer.uuid(), uuid);
    assert_ne!(peer.id(), peer.id());
}

#[tokio::test]
async fn long_answer_is_parsed_on_another_thread_within_the_budget() {
    let (fetcher, random) = (Fetcher::new(Reach::Public, "test", None), Random::seeded(1));
    let mut findings = Findings::default();
    let mut peer = Conversation::new(&fetcher, &random, &mut findings, PROBE, None);
    let answer = |zeros: usize| Answer {
        status: http::StatusCode::OK,
        headers: http::HeaderMap::new(),
        body: format!("[0{}]", ",0".repeat(zeros - 1)).into(),
        target: Target::parse("https://example.org/", Reach::Public).unwrap(),
        elapsed: Duration::ZERO,
        truncated: false,
    };
    let here = std::thread::current().id();
    let mut left = peer.budget.values;
    for (zeros, beside) in [(10, false), (40_000, true), (40_000, true), (10, false)] {
        let answer = answer(zeros);
        let read = peer.read(&answer, |answer, budget| {
            (std::thread::current().id(), answer.json(&mut budget.values).is_ok())
        });
        let (thread, whole) = read.await;
        assert_eq!((thread != here, whole), (beside, true), "{zeros}");
        left -= zeros + 1;
        assert_eq!(peer.budget.values, left, "reads on the other thread count as well");
    }
    let whole = peer.read(&answer(40_000), |answer, budget| answer.json(&mut budget.values).is_ok()).await;
    assert!(!whole && peer.budget.values == 0, "nothing is left for more");
}
