//! A semaphore of one.

extern crate contest;
extern crate std_semaphore;

#[test]
fn generated() {
    told(contest::check::<std_semaphore::Semaphore>());
}
