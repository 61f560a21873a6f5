//! `org.jfree.data.time.Day` of JFreeChart 1.0.13 (DepCon+, C7, "data race"): a day is pegged to a calendar, which writes
//! its first and its last millisecond one after the other. The calendar is one that all days share, as
//! `java.util.Calendar` and `DateFormat` are, and has no lock.

use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

const DAY: i64 = 86_400_000;
const HOUR: i64 = 3_600_000;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;

/// The calendar that is worked in: day, millisecond of the day and hours of the zone are set one after the other.
static CALENDAR: [AtomicI64; 3] = [AtomicI64::new(0), AtomicI64::new(0), AtomicI64::new(0)];

fn set_calendar(day: i64, millisecond: i64, zone: i8) {
    CALENDAR[0].store(day, SeqCst);
    CALENDAR[1].store(millisecond, SeqCst);
    CALENDAR[2].store(i64::from(zone), SeqCst);
}

fn calendar_time() -> i64 {
    let [day, millisecond, zone] = [0, 1, 2].map(|field: usize| CALENDAR[field].load(SeqCst));
    day * DAY + millisecond - zone * HOUR
}

/// A day of the Gregorian calendar, by its number since 1970-01-01.
#[derive(Debug)]
pub struct Day {
    number: i64,
    first: AtomicI64,
    last: AtomicI64,
}

impl Day {
    /// The day with this number, pegged to zone 0.
    pub fn new(number: u16) -> Self {
        Self::of(i64::from(number))
    }

    fn of(number: i64) -> Self {
        Self {
            number,
            first: AtomicI64::new(number * DAY),
            last: AtomicI64::new(number * DAY + DAY - 1),
        }
    }

    /// Year, month from 1 and day of the month (Hinnant: chrono-compatible low-level date algorithms).
    fn civil(&self) -> (i64, i64, i64) {
        let days = self.number + EPOCH;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let month = if shifted < 10 {
            shifted + 3
        } else {
            shifted - 9
        };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        (year, month, of_year - (153 * shifted + 2) / 5 + 1)
    }

    /// The number of the day, with the first day of 1900 as 2.
    pub fn serial_index(&self) -> i64 {
        self.number + 25_569
    }

    /// The year.
    pub fn year(&self) -> i64 {
        self.civil().0
    }

    /// The month, from 1.
    pub fn month(&self) -> i64 {
        self.civil().1
    }

    /// The day of the month, from 1.
    pub fn day_of_month(&self) -> i64 {
        self.civil().2
    }

    /// The day of the week, with Sunday as 1.
    pub fn day_of_week(&self) -> i64 {
        (self.number + 4).rem_euclid(7) + 1
    }

    /// The day before.
    pub fn previous(&self) -> Option<Day> {
        let number = self.number - 1;
        (number >= 0).then(|| Self::of(number))
    }

    /// The day after.
    pub fn next(&self) -> Day {
        Self::of(self.number + 1)
    }

    /// Takes the first and the last millisecond from the calendar in this zone. The fault: one after the other, and
    /// another thread may write into the calendar in between.
    pub fn peg(&self, zone: i8) {
        self.first.store(self.first_millisecond_in(zone), SeqCst);
        self.last.store(self.last_millisecond_in(zone), SeqCst);
    }

    /// Its first millisecond since 1970 in a zone. The fault: as in `peg`.
    pub fn first_millisecond_in(&self, zone: i8) -> i64 {
        set_calendar(self.number, 0, zone);
        calendar_time()
    }

    /// Its last millisecond since 1970 in a zone. The fault: as in `peg`.
    pub fn last_millisecond_in(&self, zone: i8) -> i64 {
        set_calendar(self.number, DAY - 1, zone);
        calendar_time()
    }

    /// Its first millisecond since 1970.
    pub fn first_millisecond(&self) -> i64 {
        self.first.load(SeqCst)
    }

    /// Its last millisecond since 1970.
    pub fn last_millisecond(&self) -> i64 {
        self.last.load(SeqCst)
    }

    /// The millisecond in its middle.
    pub fn middle_millisecond(&self) -> i64 {
        let first = self.first_millisecond();
        first + (self.last_millisecond() - first) / 2
    }

    /// Its beginning.
    pub fn start(&self) -> i64 {
        self.first_millisecond()
    }

    /// Its end.
    pub fn end(&self) -> i64 {
        self.last_millisecond()
    }

    /// True if both are the same day.
    pub fn equals(&self, other: &Day) -> bool {
        self.number == other.number
    }

    /// -1 if this day is before the other one, 1 if it is after it.
    pub fn compare_to(&self, other: &Day) -> i32 {
        i32::from(self.number > other.number) - i32::from(self.number < other.number)
    }

    /// A number that is the same for equal days.
    pub fn hash_code(&self) -> i64 {
        self.number.wrapping_mul(31)
    }

    /// The day as text.
    pub fn text(&self) -> String {
        let (year, month, day) = self.civil();
        format!("{day}-{month}-{year}")
    }
}
