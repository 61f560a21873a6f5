//! Places at which tests of the tool make a driver panic in code of its own. Without [`VARIABLE`] nothing happens
//! there.

/// Environment variable of a driver: the name of a place and the number of a test, `judging:3`. At that test it panics
/// there. For tests of the tool only.
pub const VARIABLE: &str = "TEST_CONTEST_FAULT";

/// A place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum FaultPoint {
    /// A generator looks for a test.
    Generating = 1,
    /// An execution begins that is one of the interleavings of a test.
    Executing = 2,
    /// An outcome is judged.
    Judging = 3,
    /// The generators of a type are made; its number takes the place of the test's.
    Preparing = 4,
}

#[cfg(feature = "driver")]
mod armed {
    use super::{FaultPoint, VARIABLE};
    use crate::black_box;
    use std::sync::atomic::AtomicU64;
    use std::sync::atomic::Ordering::Relaxed;

    /// The place in the highest byte, and the number of the test; 0 for none. Set once, before the snapshot.
    static ARMED: AtomicU64 = AtomicU64::new(0);

    const PLACE: u32 = 56;

    /// Reads the variable.
    pub fn arm() {
        let text = std::env::var(VARIABLE).unwrap_or_default();
        let Some((name, number)) = text.split_once(':') else {
            return;
        };
        let point = match name {
            "generating" => FaultPoint::Generating,
            "executing" => FaultPoint::Executing,
            "judging" => FaultPoint::Judging,
            "preparing" => FaultPoint::Preparing,
            _ => return,
        };
        let number: u64 = number.parse().unwrap_or(0);
        ARMED.store(((point as u64) << PLACE) | number, Relaxed);
    }

    /// Panics if the test with this number is the one, and this the place.
    #[inline]
    pub fn pass_with(point: FaultPoint, number: u64) {
        let armed = ARMED.load(Relaxed);
        if armed != 0 && armed == ((point as u64) << PLACE) | number {
            fault(point);
        }
    }

    /// The same for the test of which interleavings are run.
    #[inline]
    pub fn pass(point: FaultPoint) {
        if ARMED.load(Relaxed) != 0 && black_box::is_exploring() {
            pass_with(point, black_box::test_number());
        }
    }

    #[cold]
    fn fault(point: FaultPoint) -> ! {
        panic!("a fault for a test: {point:?}")
    }
}

#[cfg(feature = "driver")]
pub use armed::{arm, pass, pass_with};

/// Nothing outside of drivers.
#[cfg(not(feature = "driver"))]
#[inline]
pub fn pass(_: FaultPoint) {}

/// Nothing outside of drivers.
#[cfg(not(feature = "driver"))]
#[inline]
pub fn pass_with(_: FaultPoint, _: u64) {}
