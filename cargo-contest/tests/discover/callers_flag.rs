//! Objects beside a flag of their caller.

use contest_catalog::subject_catalog::Returned;

use crate::documented::{catalog_of, constructors, operation, subject};

/// Paths of the subjects that have a flag beside them.
fn beside_flags(source: &str) -> Vec<String> {
    let catalog = catalog_of(source);
    let paths = catalog.subjects.iter().map(|it| it.path.clone());
    paths.filter(|it| it.contains("<Callers")).collect()
}

/// A type with these methods, and what they return.
fn event(methods: &str) -> String {
    format!(
        "use std::{{future::Future, pin::Pin, sync::Mutex, task::{{Context, Poll, Waker}}}};
        #[derive(Default)] pub struct Event(Mutex<u32>);
        pub struct Listener<T>(T);
        impl<T> Future for Listener<T> {{
            type Output = T;
            fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {{ Poll::Pending }}
        }}
        impl Event {{ {methods} }}"
    )
}

#[test]
fn what_registers_before_it_waits_looks_at_the_flag_in_between() {
    let catalog = catalog_of(&event(
        "pub fn listen(&self) -> Listener<()> { Listener(()) }
        pub fn notify(&self, count: usize) -> usize { count }
        pub fn notify_relaxed(&self) {}
        pub fn is_notified(&self) -> bool { false }",
    ));
    let event = subject(&catalog, "Event<CallersFlag>");
    assert_eq!(
        constructors(event),
        ["(Event::default(), CallersFlag::default())"]
    );
    let names: Vec<&str> = event.operations.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["listen, look, wait", "set, notify", "notify"]);
    let waits = operation(event, "listen, look, wait");
    assert_eq!(
        waits.text.to_string(),
        "{ let registered = {s}.0.listen(); if {s}.1.is_set() { drop(registered); } else { registered.await; } \
         if {s}.1.is_set() { {s}.0.notify(1); } }"
    );
    assert_eq!(waits.returned, Returned::Future);
    // Other calls may come between the look and the wait, and nowhere else.
    let compiled = waits.expression.to_string();
    assert!(compiled.contains("if ::contest::macro_support::step({s}.1.is_set())"));
    assert_eq!(compiled.matches("::step(").count(), 1, "{compiled}");
    let sets = operation(event, "set, notify");
    assert_eq!(sets.text.to_string(), "{ {s}.1.set(); {s}.0.notify({0}); }");
    assert_eq!(sets.arguments.len(), 1);
    // The type is also tested by itself.
    assert_eq!(subject(&catalog, "Event").operations.len(), 4);
}

#[test]
fn what_registers_only_in_a_poll_or_promises_no_order_has_no_flag() {
    let listen = "pub fn listen(&self) -> Listener<()> { Listener(()) }";
    for methods in [
        "pub async fn listen(&self) {} pub fn notify(&self) {}".to_owned(),
        "pub fn listen(&self) -> Listener<u32> { Listener(0) } pub fn notify(&self) {}".to_owned(),
        "pub fn wait(&self) {} pub fn notify(&self) {}".to_owned(),
        format!("{listen} pub fn notify_relaxed(&self) {{}}"),
        format!("{listen} pub fn note(&self) {{}}"),
        format!("{listen} pub fn notify(&mut self) {{}}"),
    ] {
        assert_eq!(beside_flags(&event(&methods)), [""; 0], "{methods}");
    }
    let both = format!("{listen} pub fn notify(&self) {{}}");
    assert_eq!(beside_flags(&event(&both)), ["subject::Event<CallersFlag>"]);
}

#[test]
fn a_waker_is_registered_before_the_look_and_one_thread_polls() {
    let catalog = catalog_of(&event(
        "pub fn register(&self, waker: &Waker) {} pub fn wake(&self) {}",
    ));
    let place = subject(&catalog, "Event<CallersFlag>");
    let looks = operation(place, "register, look");
    assert_eq!(
        looks.text.to_string(),
        "poll_fn(|context| { {s}.0.register(context.waker()); if {s}.1.is_set() { Ready(()) } else { Pending } })"
    );
    assert!(looks.polled);
    assert_ne!(looks.taken, operation(place, "set, wake").taken);
    let by_value = event("pub fn register(&self, waker: Waker) {} pub fn wake(&self) {}");
    assert_eq!(beside_flags(&by_value), [""; 0]);
}

#[test]
fn tasks_of_an_executor_wait_for_the_flag() {
    let spawn = "pub fn spawn<F: Future + Send + 'static>(&self, future: F) -> Listener<()> { Listener(()) }";
    let catalog = catalog_of(&event(spawn));
    let executor = subject(&catalog, "Event<CallersTasks>");
    let waits = operation(executor, "spawn, wait");
    assert_eq!(waits.text.to_string(), "{s}.0.spawn({s}.1.until_set())");
    assert_eq!(waits.returned, Returned::Future);
    assert_eq!(
        operation(executor, "set, wake_by_ref").text.to_string(),
        "{ {s}.1.set(); {s}.1.wake_by_ref(); }"
    );
    // Where tasks run while the object runs a future, it runs that of the task.
    let runs = "pub fn block_on<F: Future>(&self, future: F) -> F::Output { panic!() }";
    let catalog = catalog_of(&event(&format!("{spawn} {runs}")));
    let executor = subject(&catalog, "Event<CallersTasks>");
    let waits = operation(executor, "spawn, wait");
    assert_eq!(
        waits.text.to_string(),
        "{s}.0.block_on({s}.0.spawn({s}.1.until_set()))"
    );
    assert_eq!(waits.returned, Returned::Observe);
    // The result of a task may be fixed.
    for (result, task) in [("()", "done_when_set"), ("u32", "until_set")] {
        let spawn = format!(
            "pub fn spawn(&self, future: impl Future<Output = {result}> + Send + 'static) -> Listener<()> {{ Listener(()) }}"
        );
        let catalog = catalog_of(&event(&spawn));
        let waits = operation(subject(&catalog, "Event<CallersTasks>"), "spawn, wait");
        let text = format!("{{s}}.0.spawn({{s}}.1.{task}())");
        assert_eq!(waits.text.to_string(), text);
    }
    let other = "pub fn spawn(&self, future: impl Future<Output = bool> + Send + 'static) -> Listener<()> { Listener(()) }";
    assert_eq!(beside_flags(&event(other)), [""; 0]);
}
