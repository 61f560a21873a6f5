//! Workspace and selection in, [`SubjectCatalog`] out.

pub mod subject_catalog;
