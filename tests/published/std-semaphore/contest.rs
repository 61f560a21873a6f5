//! A semaphore of one.

extern crate contest;
extern crate std_semaphore;

#[test]
fn generated() {
    report(contest::check::<std_semaphore::Semaphore>());
}
