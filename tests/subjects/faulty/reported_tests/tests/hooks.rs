//! The mended twin of the test of a hook: one test at a time has it, and the others know.

use std::panic;
use std::sync::Mutex;

static HOOK: Mutex<()> = Mutex::new(());

mod mended {
    use super::*;

    #[test]
    fn the_hook_hears_a_panic() {
        let _alone = HOOK.lock().unwrap();
        let before = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        assert!(panic::catch_unwind(|| panic!("heard")).is_err());
        panic::set_hook(before);
    }

    #[test]
    fn a_panic_is_caught() {
        let _alone = HOOK.lock().unwrap();
        assert!(panic::catch_unwind(|| panic!("caught")).is_err());
    }
}
