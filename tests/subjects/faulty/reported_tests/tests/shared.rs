//! What all tests of a process share, and these change.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock};
use std::{env, fs, panic, thread};

use faulty_reported_tests::ms;

static REQUESTS: AtomicU32 = AtomicU32::new(0);
static LINES: Mutex<Vec<&str>> = Mutex::new(Vec::new());
static LEVEL: OnceLock<&str> = OnceLock::new();
static CLOCK: AtomicU64 = AtomicU64::new(0);
static mut LIMIT: u32 = 0;

mod broken {
    use super::*;

    // rust-lang/rust#58391: two tests and one environment variable.
    #[test]
    fn a_home_can_be_set() {
        // SAFETY: it is what the report is about.
        unsafe { env::set_var("REPORTED_HOME", "/srv") };
        let set = env::var("REPORTED_HOME");
        unsafe { env::remove_var("REPORTED_HOME") };
        assert_eq!(set.as_deref(), Ok("/srv"));
    }

    // diesel-rs/diesel#476: the same name in the test of what happens without it.
    #[test]
    fn there_is_no_home_at_first() {
        thread::sleep(ms(40));
        assert!(env::var("REPORTED_HOME").is_err());
    }

    // djinnos/djinn#2824: the difference of a global counter.
    #[test]
    fn two_requests_are_counted() {
        let before = REQUESTS.load(SeqCst);
        REQUESTS.fetch_add(2, SeqCst);
        assert_eq!(REQUESTS.load(SeqCst) - before, 2);
    }

    // aptos-labs/aptos-core#737: another test that counts there.
    #[test]
    fn a_request_is_counted() {
        thread::sleep(ms(50));
        assert!(REQUESTS.fetch_add(1, SeqCst) < 100);
    }

    // rustfs/rustfs#5439: lines of one log, taken by whoever comes first.
    #[test]
    fn the_start_is_logged() {
        LINES.lock().unwrap().clear();
        LINES.lock().unwrap().push("start");
        assert_eq!(*LINES.lock().unwrap(), ["start"]);
    }

    // baseballyama/rsvelte#1649: the log of another test.
    #[test]
    fn the_end_is_logged() {
        thread::sleep(ms(30));
        LINES.lock().unwrap().push("end");
        assert!(LINES.lock().unwrap().contains(&"end"));
    }

    // tokio-rs/tracing#2798: what is set once for the process.
    #[test]
    fn a_level_is_info_at_first() {
        assert_eq!(*LEVEL.get_or_init(|| "info"), "info");
    }

    #[test]
    fn the_level_can_be_set() {
        thread::sleep(ms(60));
        let _ = LEVEL.set("debug");
        assert!(LEVEL.get().is_some());
    }

    // cocoindex-io/cocoindex#2410: a clock for tests that is a static.
    #[test]
    fn the_lease_is_over_at_ten() {
        CLOCK.store(10, SeqCst);
        let over = CLOCK.load(SeqCst) >= 10;
        CLOCK.store(0, SeqCst);
        assert!(over);
    }

    #[test]
    fn the_lease_is_not_over_at_nine() {
        thread::sleep(ms(45));
        CLOCK.store(9, SeqCst);
        assert!(CLOCK.load(SeqCst) < 10);
        CLOCK.store(0, SeqCst);
    }

    // banso-labs/banso#1178: a state of the process, here without a lock.
    #[test]
    fn the_limit_is_published() {
        thread::sleep(ms(55));
        // SAFETY: none, it is what the report is about.
        unsafe { LIMIT = 3 };
        assert_eq!(unsafe { LIMIT }, 3);
    }

    #[test]
    fn a_limit_is_not_known_at_first() {
        assert_eq!(unsafe { LIMIT }, 0);
    }

    // hyperledger-iroha/iroha#3155: the hook of one test hears the panic of another one.
    #[test]
    fn the_hook_hears_one_panic() {
        let heard = Arc::new(AtomicU32::new(0));
        let counted = heard.clone();
        panic::set_hook(Box::new(move |_| {
            counted.fetch_add(1, SeqCst);
        }));
        assert!(panic::catch_unwind(|| panic!("heard")).is_err());
        drop(panic::take_hook());
        assert_eq!(heard.load(SeqCst), 1);
    }

    #[test]
    fn a_panic_is_caught() {
        thread::sleep(ms(70));
        assert!(panic::catch_unwind(|| panic!("caught")).is_err());
    }

    // pvolok/dekit#221: the working directory is that of the process.
    #[test]
    fn a_directory_is_entered() {
        let before = env::current_dir().unwrap();
        env::set_current_dir(env::temp_dir()).unwrap();
        let inside = env::current_dir().unwrap();
        env::set_current_dir(before).unwrap();
        assert_eq!(inside, env::temp_dir().canonicalize().unwrap());
    }

    // yvgude/lean-ctx#1778: who reads it takes no lock.
    #[test]
    fn the_manifest_is_here() {
        thread::sleep(ms(80));
        assert!(fs::read_to_string("Cargo.toml").is_ok());
    }
}

mod mended {
    use super::*;

    static REQUESTS: AtomicU32 = AtomicU32::new(0);
    static PROCESS: Mutex<()> = Mutex::new(());

    /// Those who change the process, one after another.
    fn alone() -> std::sync::MutexGuard<'static, ()> {
        PROCESS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    #[test]
    fn a_home_can_be_set() {
        let _alone = alone();
        // SAFETY: under the lock.
        unsafe { env::set_var("MENDED_HOME", "/srv") };
        let set = env::var("MENDED_HOME");
        unsafe { env::remove_var("MENDED_HOME") };
        assert_eq!(set.as_deref(), Ok("/srv"));
    }

    #[test]
    fn there_is_no_home_at_first() {
        let _alone = alone();
        assert!(env::var("MENDED_HOME").is_err());
    }

    #[test]
    fn two_requests_are_counted() {
        let before = REQUESTS.load(SeqCst);
        REQUESTS.fetch_add(2, SeqCst);
        assert!(REQUESTS.load(SeqCst) - before >= 2);
    }

    #[test]
    fn a_request_is_counted() {
        let _ = REQUESTS.fetch_add(1, SeqCst);
    }

    #[test]
    fn the_start_is_logged() {
        let lines = Mutex::new(Vec::new());
        lines.lock().unwrap().push("start");
        assert_eq!(*lines.lock().unwrap(), ["start"]);
    }

    #[test]
    fn the_end_is_logged() {
        let lines = Mutex::new(Vec::new());
        lines.lock().unwrap().push("end");
        assert_eq!(*lines.lock().unwrap(), ["end"]);
    }

    #[test]
    fn a_level_is_info_at_first() {
        let level = OnceLock::new();
        assert_eq!(*level.get_or_init(|| "info"), "info");
    }

    #[test]
    fn the_level_can_be_set() {
        let level = OnceLock::new();
        assert_eq!(level.set("debug"), Ok(()));
    }

    #[test]
    fn the_lease_is_over_at_ten() {
        let clock = AtomicU64::new(10);
        assert!(clock.load(SeqCst) >= 10);
    }

    #[test]
    fn the_lease_is_not_over_at_nine() {
        let clock = AtomicU64::new(9);
        assert!(clock.load(SeqCst) < 10);
    }

    #[test]
    fn the_limit_is_published() {
        let mut limit = None;
        assert_eq!(*limit.insert(3), 3);
    }

    #[test]
    fn a_limit_is_not_known_at_first() {
        assert_eq!(None::<u32>, None);
    }

    #[test]
    fn a_directory_is_entered() {
        let directory = env::temp_dir();
        assert!(directory.join(".").exists());
    }

    #[test]
    fn the_manifest_is_here() {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert!(fs::read_to_string(manifest).is_ok());
    }
}
