//! What a subscriber to events is.

/// An event; it borrows its text.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    text: &'a str,
    level: u32,
}

/// Makes events.
pub struct EventBuilder<'a>(Event<'a>);

impl<'a> EventBuilder<'a> {
    /// An event without a text.
    pub fn new() -> Self {
        Self(Event { text: "", level: 0 })
    }

    /// With this text.
    pub fn text(mut self, text: &'a str) -> Self {
        self.0.text = text;
        self
    }

    /// The event.
    pub fn build(&self) -> Event<'a> {
        self.0.clone()
    }
}

impl Event<'_> {
    /// Its text.
    pub fn text(&self) -> &str {
        self.text
    }

    /// Its level.
    pub fn level(&self) -> u32 {
        self.level
    }
}

/// Is told of events.
pub trait Subscriber: Send + Sync {
    /// An event has happened.
    fn notify(&self, event: &Event<'_>);
    /// How many there were.
    fn seen(&self) -> u32;
}
