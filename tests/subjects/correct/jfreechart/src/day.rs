//! `org.jfree.data.time.Day` of JFreeChart 1.0.13 (DepCon+, C7, "data race"), mended: a day is pegged to a
//! calendar under a lock, and the calendar that all days share has one.

use std::sync::Mutex;

const DAY: i64 = 86_400_000;
const HOUR: i64 = 3_600_000;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;

/// The calendar that is worked in: day, millisecond of the day and hours of the zone.
static CALENDAR: Mutex<[i64; 3]> = Mutex::new([0; 3]);

fn time_of(day: i64, millisecond: i64, zone: i8) -> i64 {
    let mut calendar = CALENDAR.lock().unwrap();
    *calendar = [day, millisecond, i64::from(zone)];
    calendar[0] * DAY + calendar[1] - calendar[2] * HOUR
}

/// A day of the Gregorian calendar, by its number since 1970-01-01.
#[derive(Debug)]
pub struct Day {
    number: i64,
    /// The first and the last millisecond.
    pegged: Mutex<(i64, i64)>,
}

impl Day {
    /// The day with this number, pegged to zone 0.
    pub fn new(number: u16) -> Self {
        Self::of(i64::from(number))
    }

    fn of(number: i64) -> Self {
        Self {
            number,
            pegged: Mutex::new((number * DAY, number * DAY + DAY - 1)),
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

    /// Takes the first and the last millisecond from the calendar in this zone.
    pub fn peg(&self, zone: i8) {
        let mut pegged = self.pegged.lock().unwrap();
        *pegged = (
            self.first_millisecond_in(zone),
            self.last_millisecond_in(zone),
        );
    }

    /// Its first millisecond since 1970 in a zone.
    pub fn first_millisecond_in(&self, zone: i8) -> i64 {
        time_of(self.number, 0, zone)
    }

    /// Its last millisecond since 1970 in a zone.
    pub fn last_millisecond_in(&self, zone: i8) -> i64 {
        time_of(self.number, DAY - 1, zone)
    }

    /// Its first millisecond since 1970.
    pub fn first_millisecond(&self) -> i64 {
        self.pegged.lock().unwrap().0
    }

    /// Its last millisecond since 1970.
    pub fn last_millisecond(&self) -> i64 {
        self.pegged.lock().unwrap().1
    }

    /// The millisecond in its middle.
    pub fn middle_millisecond(&self) -> i64 {
        let (first, last) = *self.pegged.lock().unwrap();
        first + (last - first) / 2
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
