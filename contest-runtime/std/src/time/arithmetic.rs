//! What both clocks' points in time can do with durations.

macro_rules! arithmetic {
    ($Time:ident) => {
        impl $Time {
            /// As in `std`.
            #[must_use]
            pub fn checked_add(&self, duration: Duration) -> Option<Self> {
                self.0.checked_add(duration).map(Self)
            }

            /// As in `std`.
            #[must_use]
            pub fn checked_sub(&self, duration: Duration) -> Option<Self> {
                self.0.checked_sub(duration).map(Self)
            }
        }

        impl std::ops::Add<Duration> for $Time {
            type Output = Self;

            fn add(self, duration: Duration) -> Self {
                Self(self.0 + duration)
            }
        }

        impl std::ops::AddAssign<Duration> for $Time {
            fn add_assign(&mut self, duration: Duration) {
                self.0 += duration;
            }
        }

        impl std::ops::Sub<Duration> for $Time {
            type Output = Self;

            fn sub(self, duration: Duration) -> Self {
                Self(self.0 - duration)
            }
        }

        impl std::ops::SubAssign<Duration> for $Time {
            fn sub_assign(&mut self, duration: Duration) {
                self.0 -= duration;
            }
        }

        impl std::fmt::Debug for $Time {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
pub(crate) use arithmetic;
