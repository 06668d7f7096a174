//! The states of a task, by the names of A2A 0.3: they are what the table stores, and 1.0's follow from them.
//! Errors name states, too, so they are apart from the tasks themselves.

/// A2A 1.0 specification §4.1.3. `Submitted`, `Working` and `AuthRequired` are never stored here: a task is
/// answered before it is stored, and no operation needs a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    Submitted,
    Working,
    Completed,
    Failed,
    Canceled,
    InputRequired,
    Rejected,
    AuthRequired,
}

impl TaskState {
    const ALL: [Self; 8] = [
        Self::Submitted,
        Self::Working,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
        Self::InputRequired,
        Self::Rejected,
        Self::AuthRequired,
    ];

    /// The name in A2A 0.3; 1.0 writes the same in capitals.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Working => "working",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::InputRequired => "input-required",
            Self::Rejected => "rejected",
            Self::AuthRequired => "auth-required",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled | Self::Rejected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_a_name_of_its_own() {
        for state in TaskState::ALL {
            assert_eq!(TaskState::named(state.name()), Some(state));
        }
        assert!(
            TaskState::named("paused").is_none()
                && !TaskState::InputRequired.is_final()
                && TaskState::Rejected.is_final()
        );
    }
}
