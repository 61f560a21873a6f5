//! Helpers of fields.

#[contest::shared]
struct Fields {
    #[contest(skip)]
    unknown: u32,
    #[contest(pla)]
    half: u32,
}

#[contest::shared]
struct Twice {
    #[contest(plain, plain(Name))]
    twice: u32,
}

#[contest::shared]
enum Variants {
    First {
        #[contest(values(a = [1]))]
        unknown: u32,
    },
}

fn main() {
    let _ = Fields { unknown: 1, half: 2 };
    let _ = Twice { twice: 1 };
    let _ = Variants::First { unknown: 1 };
}
