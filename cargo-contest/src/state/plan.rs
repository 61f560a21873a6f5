//! What a run of a campaign is about to do.

/// What a run is about to do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The settings on which tests and their order depend.
    pub key: String,
    /// The part of the tests of each lane.
    pub shards: Vec<(u32, u32)>,
    /// The types, in the order of the campaign.
    pub selected: Vec<Selected>,
}

/// A type that is explored.
#[derive(Clone, Debug)]
pub struct Selected {
    /// Its number in the catalog.
    pub number: u16,
    /// As reports call it.
    pub name: String,
    /// Hash of its code; empty if it could not be analysed.
    pub code: String,
    /// Hash of the sources of the package.
    pub sources: String,
}
