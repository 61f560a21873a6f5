//! Small catalogs for the tests of this stage.

use crate::harness::subject_package::{DriverOf, SubjectPackage};
use contest_build::workspace::selection::PackageSource;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{
    ConstructorEntry, Made, OperationEntry, SubjectEntry, Taken,
};
use contest_data::subject::StandInMode;

pub(crate) fn subject(type_expression: &str) -> SubjectEntry {
    SubjectEntry {
        path: type_expression.to_owned(),
        type_expression: type_expression.to_owned(),
        declared: "src/lib.rs:1".into(),
        constructors: Vec::new(),
        operations: Vec::new(),
        left_out: Vec::new(),
    }
}

pub(crate) fn constructor(expression: &str) -> ConstructorEntry {
    ConstructorEntry {
        text: expression.into(),
        expression: expression.into(),
        made: Made::Plain,
        mode: StandInMode::Usual,
        arguments: Vec::new(),
    }
}

pub(crate) fn operation(name: &str, expression: Expression) -> OperationEntry {
    OperationEntry {
        declared: "src/lib.rs:2".into(),
        ..OperationEntry::new(name, Taken::Reference, expression.clone(), expression)
    }
}

pub(crate) fn package() -> SubjectPackage {
    SubjectPackage {
        name: "demo".into(),
        version: "0.1.0".into(),
        source: PackageSource::Path("/user/demo".into()),
        features: Vec::new(),
        workspace_root: "/user".into(),
        lock_file: None,
        directory: "/sample".into(),
        critical_section: None,
        internal: None,
        driver_of: DriverOf::AllTypes,
        tokio: None,
        named: Vec::new(),
        others: Vec::new(),
        providers: Vec::new(),
        target_directory: "/user/target".into(),
    }
}
