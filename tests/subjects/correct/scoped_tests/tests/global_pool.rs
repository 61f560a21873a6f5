//! The global pool can be made once in a process, so this is the only test of its executable.

#[test]
fn a_global_pool_of_its_own() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    pool.build_global().unwrap();
    assert_eq!(rayon::join(rayon::current_num_threads, || 2), (1, 2));
}
