//! Prints what the library sees.

extern crate without_std;

fn main() {
    for name in without_std::names() {
        println!("{}", name);
    }
}
