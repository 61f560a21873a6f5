//! A toolchain that does not make memory accesses visible: found out once, reported, and no reason to stop.

use std::path::Path;

use contest_build::instrument::runtime_store::RuntimeStore;
use contest_build::workspace::cargo_build::Toolchain;
use contest_catalog::subject_catalog::Taken;
use contest_drive::harness::HarnessOptions;
use contest_drive::harness::driver_build::build_driver;

use crate::stand_in_runtime;
use crate::subject_crate::{SubjectCrate, catalog, operation, options, subject, tool};

#[test]
fn a_toolchain_that_refuses_the_flags_is_reported_and_the_driver_is_built_without_the_layer() {
    let user = SubjectCrate::new(
        "no-accesses",
        "",
        "pub struct Unit;\nimpl Unit { pub fn new() -> Self { Self } pub fn touch(&self) {} }\n",
    );
    let catalog = catalog(vec![subject(
        "no_accesses::Unit",
        &["no_accesses::Unit::new()"],
        vec![operation("touch", Taken::Reference, Vec::new())],
    )]);
    let toolchain = Toolchain::find(Path::new(".")).unwrap();
    let store = RuntimeStore::new(user.package.contest_directory());
    let obtain = |toolchain: &Toolchain| {
        let sources = stand_in_runtime::sources();
        store
            .obtain(toolchain, &sources, tool(), &mut |_| ())
            .unwrap()
    };
    let runtime = obtain(&toolchain);
    let facade = runtime.facade.clone();
    assert_eq!(facade.accesses_refused, None);

    // Once for a toolchain: the second time the compiler, which does not exist, is not called.
    let gone = Toolchain {
        rustc: "nowhere/rustc".into(),
        ..toolchain.clone()
    };
    assert_eq!(obtain(&gone).facade, facade);

    let mut refused = facade;
    refused.accesses_refused = Some("error: unknown pass name".to_owned());
    let options = HarnessOptions {
        memory: true,
        ..options(&[])
    };
    let built = build_driver(
        &toolchain,
        refused,
        &user.package,
        &catalog,
        &options,
        &mut |_| (),
    )
    .unwrap();
    let reported = &built.uninstrumented[0];
    assert_eq!(reported.item, "memory accesses of all crates");
    for part in ["unknown pass name", "data races are not looked for"] {
        assert!(reported.why.contains(part), "{}", reported.why);
    }
    assert_eq!(built.instrumented, 1);
    assert!(built.executable.is_file());
}
