//! Panics of models are facts for the report, not text on the terminal.

use std::cell::RefCell;
use std::io::Write as _;
use std::sync::Once;

use contest_data::finding::InterleavingStep;

thread_local! {
    /// Panics on this OS thread since the model began; `None` outside of models. loom runs all threads of a model on
    /// one OS thread.
    static PANICS: RefCell<Option<Vec<Captured>>> = const { RefCell::new(None) };
}

/// A panic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// Its text.
    pub message: String,
    /// `file:line:column`.
    pub location: String,
    /// What the failed execution did; empty if it is not known.
    pub steps: Vec<InterleavingStep>,
}

/// True if the model on this OS thread found itself in a deadlock.
pub(crate) fn after_deadlock() -> bool {
    PANICS.with_borrow(|panics| {
        panics
            .iter()
            .flatten()
            .any(|panic| panic.message.starts_with("deadlock; threads"))
    })
}

/// `std` aborts the process when the hook returns: now or never. Not by `eprintln`, which the test harness captures and
/// loses then.
fn last_words(panics: &[Captured]) {
    let mut text = String::from(
        "contest: a model failed under loom, and a destructor panicked while it was unwound, which ends the process. The panics:\n",
    );
    for Captured {
        message, location, ..
    } in panics
    {
        text.push_str(&format!("  {location}: {}\n", message.trim()));
    }
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Collects the panics of `model`.
pub(crate) fn collect<R>(model: impl FnOnce() -> R) -> (R, Vec<Captured>) {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let captured = Captured {
                message: info
                    .payload_as_str()
                    .unwrap_or("a panic whose payload is no text")
                    .to_owned(),
                location: info.location().map(ToString::to_string).unwrap_or_default(),
                steps: Vec::new(),
            };
            let taken = PANICS.try_with(|panics| match panics.try_borrow_mut().as_deref_mut() {
                Ok(Some(panics)) => {
                    panics.push(captured);
                    if info.payload_as_str() == Some("panic in a destructor during cleanup") {
                        last_words(panics);
                    }
                    true
                }
                _ => false,
            });
            if taken != Ok(true) {
                before(info);
            }
        }));
    });
    PANICS.set(Some(Vec::new()));
    let result = model();
    (result, PANICS.take().unwrap_or_default())
}
