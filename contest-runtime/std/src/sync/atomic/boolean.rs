//! `AtomicBool`.

use std::sync::atomic::Ordering;

use super::shared_methods::{atomic_type, read_modify_write};
use super::visible::{self, Bits, Site, by_the_engine};
use contest_data::trace::Update;
use contest_engine::execution::{Active, AtomicMethod, active};

impl Bits for bool {
    #[inline]
    fn bits(self) -> u64 {
        u64::from(self)
    }

    by_the_engine!(|bits| bits != 0);
}

atomic_type!([] AtomicBool, bool, false);

read_modify_write!([] AtomicBool, bool;
    Replace: swap(bool);
    Combine: fetch_and(bool), fetch_nand(bool), fetch_or(bool), fetch_xor(bool);
);

impl AtomicBool {
    /// `fetch_not` as in `std`.
    #[inline]
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        match active() {
            None => self.real.fetch_not(order),
            Some(active) => {
                let site = self.site(active, order, "fetch_not");
                let real = || self.real.fetch_not(order);
                let look = || self.real.load(Ordering::Relaxed);
                // SAFETY: the site is that of the real atomic, which is borrowed.
                unsafe { visible::modify(site, Update::Combine, real, look) }
            }
        }
    }
}
