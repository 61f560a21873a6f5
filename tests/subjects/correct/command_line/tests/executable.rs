#[test]
fn the_executable_is_built() {
    assert!(std::path::Path::new(env!("CARGO_BIN_EXE_reserve")).is_file());
}
