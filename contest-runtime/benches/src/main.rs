//! The engine beside loom, shuttle and threads of the operating system. `README.md` says how to read the tables.

mod child;
mod cpu;
mod modes;
mod parent;
mod programs;
mod tables;

const USAGE: &str = "usage: contest-bench [--weak] [--no-instructions] [--millions N] [PROGRAM...]";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["row", mode, program] => child::row(mode, program),
        ["count", mode, program, number] => child::count(mode, program, number),
        ["events", mode, rounds] => child::events(mode, rounds),
        ["outside", what] => child::outside(what),
        ["memory", millions] => child::memory(millions),
        _ => print_tables(&words),
    }
}

fn print_tables(words: &[&str]) {
    let mut wanted = tables::Wanted {
        programs: Vec::new(),
        weak: false,
        instructions: true,
        millions: 10,
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--weak" => wanted.weak = true,
            "--no-instructions" => wanted.instructions = false,
            "--millions" => match words.next().and_then(|number| number.parse().ok()) {
                Some(number) => wanted.millions = number,
                None => return eprintln!("{USAGE}"),
            },
            name if programs::PROGRAMS.iter().any(|(known, _)| *known == name) => {
                wanted.programs.push(name.to_owned());
            }
            _ => return eprintln!("{USAGE}"),
        }
    }
    tables::print(&wanted);
}
