#![deny(warnings)]

#[cfg(feature = "metrics")]
mod metrics;
mod store;

use std::io::Read;

fn main() {
    let limit = std::env::args().nth(1).and_then(|it| it.parse().ok());
    let store = store::Store::new(limit.unwrap_or(3));
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    for line in text.lines() {
        if !store.reserve(line.len() as u32) {
            std::process::exit(2);
        }
    }
    println!("{}", store.used());
    loop {
        std::thread::park();
    }
}

#[cfg(test)]
mod tests {
    use super::store::Store;
    use std::sync::Arc;

    #[test]
    fn one_of_two_reservations_is_refused() {
        let store = Arc::new(Store::new(3));
        let other = Arc::clone(&store);
        let thread = std::thread::spawn(move || other.reserve(2));
        let own = store.reserve(2);
        let theirs = thread.join().unwrap();
        assert!(own != theirs, "{own} and {theirs}");
    }
}
