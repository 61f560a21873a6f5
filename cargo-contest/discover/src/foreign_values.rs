//! Values of types of other crates that many crates have in their interface, and whose documentation is not read. They
//! are made from types of `std`, so that the crate, which the driver may not depend on, need not be named.

use super::request::choice;
use contest_catalog::subject_catalog::ArgumentChoice;

/// Alternatives for the type that is declared at this path.
pub(super) fn foreign_values(path: &str) -> Option<Vec<ArgumentChoice>> {
    match path {
        // `From<std::time::Instant>`, since tokio 1.0 as `tokio::time::Instant`.
        "tokio::time::instant::Instant" => {
            let instants = [
                ("Instant::now() + Duration::from_millis(1)", "+"),
                ("Instant::now() - Duration::from_millis(1)", "-"),
            ];
            let made = instants.map(|(text, sign)| {
                let millisecond = "std::time::Duration::from_millis(1)";
                let instant = format!("std::time::Instant::now() {sign} {millisecond}");
                choice(format!("({text}).into()"), format!("({instant}).into()"))
            });
            Some(made.into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_of_tokio_is_before_or_after_now() {
        let made = foreign_values("tokio::time::instant::Instant").unwrap();
        let texts: Vec<&str> = made.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(texts.len(), 2);
        assert!(texts[0].contains("now() + ") && texts[1].contains("now() - "));
        assert!(texts.iter().all(|it| it.ends_with(".into()")));
        assert!(foreign_values("other::time::Instant").is_none());
    }
}
