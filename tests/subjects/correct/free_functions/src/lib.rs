//! Numbers of names, for the whole process.

use std::sync::Mutex;

static NAMES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The number of a name, a new one if it has none.
pub fn register(name: &str) -> usize {
    let mut names = NAMES.lock().unwrap();
    let known = names.iter().position(|it| it == name);
    known.unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

/// The number of a name, if it has one.
pub fn number(name: &str) -> Option<usize> {
    NAMES.lock().unwrap().iter().position(|it| it == name)
}

/// Forgets all names.
pub fn clear() {
    NAMES.lock().unwrap().clear();
}
