//! Why a campaign did not finish.

use contest_data::protocol::VERSION;

/// Why a campaign did not finish.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// A driver process could not be started or watched.
    #[error("cannot run the driver process: {0}")]
    Process(#[from] std::io::Error),
    /// The driver refuses the request, with its reason.
    #[error("the driver process refuses: {0}")]
    Refused(String),
    /// The driver panicked in code of its own, and there was nothing else to do.
    #[error("{0}")]
    Panicked(String),
    /// The driver violates the protocol: a bug of the tool.
    #[error("{0}; this is a bug of cargo-contest")]
    Bug(String),
}

impl CampaignError {
    /// The driver wrote a line that is not a reply.
    pub(super) fn garbled(line: &str) -> Self {
        Self::Bug(format!("the driver wrote `{line}`, which is not a reply"))
    }
}

/// Tool and driver are built from the same sources, so they have the same version of the protocol.
pub(super) fn check_version(version: u32) -> Result<(), CampaignError> {
    if version == VERSION {
        Ok(())
    } else {
        Err(CampaignError::Bug(format!(
            "the driver speaks version {version} of the protocol, the tool {VERSION}"
        )))
    }
}
