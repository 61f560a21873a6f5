//! Numbers of names, for the whole process.

use std::sync::Mutex;

static NAMES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The number of a name, a new one if it has none.
pub fn register(name: &str) -> usize {
    if let Some(number) = number(name) {
        return number;
    }
    let next = NAMES.lock().unwrap().len();
    // BUG: another thread may have come in between.
    NAMES.lock().unwrap().push(name.to_owned());
    next
}

/// The number of a name, if it has one.
pub fn number(name: &str) -> Option<usize> {
    NAMES.lock().unwrap().iter().position(|it| it == name)
}

/// Forgets all names.
pub fn clear() {
    NAMES.lock().unwrap().clear();
}
