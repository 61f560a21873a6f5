//! Reads the request, has it answered, writes replies.

use std::panic::{self, AssertUnwindSafe};

use super::channel::Channel;
use super::start::{Started, start};
use super::{EXIT_BUG, Linked, debug_symbols, process, warm_up};
use crate::answer::{self, Wall};
use contest_data::finding::KnownBug;
use contest_data::protocol::{Reply, Request, VERSION};
use contest_data::settings::Package;

/// Main of the generated driver.
pub fn main(linked: Linked) -> ! {
    debug_symbols::set_package(linked.directory);
    run(|started, channel| serve(linked, started, channel))
}

/// Makes the process a driver, has it serve its request and ends it.
pub(super) fn run(serve: impl FnOnce(&mut Started, &mut Channel)) -> ! {
    let unfixed = process::fix_addresses().err();
    let Ok(mut channel) = Channel::open() else {
        process::end(EXIT_BUG)
    };
    let mut started = match start(|| ()) {
        Ok(started) => started,
        Err(error) => {
            channel.send(&Reply::Refused(error.to_string()));
            process::end(EXIT_BUG)
        }
    };
    started.notes.extend(unfixed);
    started.isolation.set_symbols(debug_symbols::open_symbols);
    let served = panic::catch_unwind(AssertUnwindSafe(|| {
        serve(&mut started, &mut channel);
    }));
    match served {
        Ok(()) => process::end(0),
        Err(_) => warm_up::end_with_own_panic(),
    }
}

fn serve(linked: Linked, started: &mut Started, channel: &mut Channel) {
    channel.send(&Reply::Hello {
        version: VERSION,
        subjects: linked
            .subjects
            .iter()
            .map(|subject| (subject.name.to_owned(), subject.operations.len() as u32))
            .collect(),
        notes: std::mem::take(&mut started.notes),
    });
    match request(channel) {
        Ok(request) => {
            let package = Package {
                name: linked.package,
                version: linked.version,
            };
            answer::answer(
                package,
                linked.subjects,
                linked.accesses,
                request,
                &mut started.isolation,
                channel,
            );
        }
        Err(message) => channel.send(&Reply::Refused(message)),
    }
}

impl Wall for Channel {
    fn send(&mut self, reply: &Reply) {
        Channel::send(self, reply);
    }

    fn found_elsewhere(&mut self) -> Vec<KnownBug> {
        Channel::found_elsewhere(self)
    }

    fn is_stopped(&mut self) -> bool {
        Channel::is_stopped(self)
    }
}

/// What the process has to do.
pub(super) fn request(channel: &mut Channel) -> Result<Request, String> {
    let text = channel
        .read_request()
        .map_err(|error| format!("the request cannot be read: {error}"))?;
    contest_wire::read_request(&text).map_err(|error| format!("the request is malformed: {error}"))
}
