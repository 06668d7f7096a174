//! A mix of the requests that `life` measures one after another: 80 % are reads by people, crawlers and polling clients,
//! 15 % are MCP and A2A, and 5 % are writes. The order is random, but with a fixed seed, and repeats. So two runs send the
//! same requests.

use registry::model::Random;

use crate::Failure;
use crate::life::{
    BADGE_OF, BY_A2A, BY_MCP, DEFAULT, DEMO, FEEDBACK, GZIP, LATEST, MATCH_NEW, PUBLISH, RENDERED,
    SEARCH_NEW, SEARCH_REPEATED, SERVERS, STATUS, THIRTY,
};
use crate::load::Target;

/// The requests per 1,000 of each target, by family.
pub(crate) const FAMILIES: [(&str, &[(&str, usize)]); 3] = [
    (
        "reads",
        &[
            (STATUS, 250),
            (BADGE_OF, 100),
            (LATEST, 100),
            (DEFAULT, 50),
            (GZIP, 50),
            (RENDERED, 50),
            (THIRTY, 60),
            (SERVERS, 60),
            (SEARCH_NEW, 30),
            (MATCH_NEW, 20),
            (SEARCH_REPEATED, 30),
        ],
    ),
    ("MCP and A2A", &[(BY_MCP, 90), (BY_A2A, 60)]),
    ("writes", &[(PUBLISH, 20), (DEMO, 15), (FEEDBACK, 15)]),
];

pub(crate) struct Mix {
    /// The targets in the order of the families.
    pub(crate) targets: Vec<Target>,
    shares: Vec<usize>,
    /// For each request of a cycle: its target, and the number of earlier requests of that target.
    order: Vec<(usize, usize)>,
}

impl Mix {
    /// A mix of some of these targets.
    ///
    /// # Errors
    /// A target of the mix is missing.
    pub(crate) fn new(all: &[Target]) -> Result<Self, Failure> {
        let (mut targets, mut shares) = (Vec::new(), Vec::new());
        for (name, share) in FAMILIES.iter().flat_map(|(_, of_family)| of_family.iter()) {
            let target = all.iter().find(|target| target.name == *name);
            targets.push(target.ok_or_else(|| format!("{name} has no requests"))?.clone());
            shares.push(*share);
        }
        let mut order: Vec<usize> =
            shares.iter().enumerate().flat_map(|(at, share)| std::iter::repeat_n(at, *share)).collect();
        let random = Random::seeded(1);
        for last in (1..order.len()).rev() {
            let other = usize::try_from(random.below(last as u64 + 1)).unwrap_or(last);
            order.swap(last, other);
        }
        let mut seen = vec![0; targets.len()];
        let numbered = |target: usize| {
            seen[target] += 1;
            (target, seen[target] - 1)
        };
        Ok(Self { order: order.into_iter().map(numbered).collect(), shares, targets })
    }

    /// The target and the bytes of a request.
    pub(crate) fn request(&self, number: usize) -> (usize, &[u8]) {
        let (target, rank) = self.order[number % self.order.len()];
        let requests = &self.targets[target].requests;
        let place = number / self.order.len() * self.shares[target] + rank;
        (target, &requests[place % requests.len()])
    }
}
