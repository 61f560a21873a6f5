//! Why a campaign did not come to its end.

use contest::protocol::VERSION;

/// Why a campaign did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// A driver process could not be started or watched.
    #[error("cannot run the driver process: {0}")]
    Process(#[from] std::io::Error),
    /// The driver refuses the request, with its reason.
    #[error("the driver process refuses: {0}")]
    Refused(String),
    /// The driver violates the protocol: a bug of the tool.
    #[error("{0}; this is a bug of cargo-contest")]
    Bug(String),
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
