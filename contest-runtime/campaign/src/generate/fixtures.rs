//! Parts of the subjects that the tests of this stage make tests of; nothing of them is ever run.

use contest_data::subject::{
    Argument, Call, Constructor, Contract, EndUse, Keeping, Needs, Object, Operation, Receiver,
    Response, StandInMode, UserCode,
};

fn make(_: &Call<'_>) -> Object {
    Object(Box::new(()))
}

fn call(_: &Call<'_>) -> Response {
    None
}

/// A constructor without arguments.
pub(crate) const fn constructor(text: &'static str) -> Constructor {
    Constructor {
        text,
        arguments: &[],
        mode: StandInMode::Usual,
        make,
    }
}

/// One whose user's side behaves so.
pub(super) const fn constructor_in(mode: StandInMode) -> Constructor {
    Constructor {
        mode,
        ..constructor("Pool::new(_)")
    }
}

/// An operation that threads can call at the same time.
pub(crate) const fn operation(name: &'static str, arguments: &'static [Argument]) -> Operation {
    Operation {
        name,
        text: name,
        arguments,
        receiver: Receiver::Shared,
        weak: false,
        observer: false,
        contract: Contract::NONE,
        declared: "",
        call,
    }
}

/// One that keeps its result, or lets go what is kept.
pub(crate) const fn keeping(name: &'static str, keeping: Keeping) -> Operation {
    Operation {
        contract: Contract {
            keeping,
            ..Contract::NONE
        },
        ..operation(name, &[])
    }
}

/// One whose closures do something beside their work.
pub(crate) const fn with_user_code(
    name: &'static str,
    arguments: &'static [Argument],
    user_code: UserCode,
) -> Operation {
    Operation {
        contract: Contract {
            user_code,
            ..Contract::NONE
        },
        ..operation(name, arguments)
    }
}

/// One that only looks.
pub(crate) const fn observer(name: &'static str, arguments: &'static [Argument]) -> Operation {
    Operation {
        observer: true,
        ..operation(name, arguments)
    }
}

/// One that needs the object for itself.
pub(super) const fn exclusive(name: &'static str, arguments: &'static [Argument]) -> Operation {
    Operation {
        receiver: Receiver::Exclusive,
        ..operation(name, arguments)
    }
}

/// One of an end of a pair.
pub(super) const fn end(name: &'static str, end: u8, needs: Needs) -> Operation {
    Operation {
        receiver: Receiver::End(EndUse { end, needs }),
        ..operation(name, &[])
    }
}

/// A plain argument.
pub(crate) const KEY: &[Argument] = &[Argument {
    choices: &["1", "2", "3"],
    object: false,
    of_future: false,
    of_texts: false,
}];

/// Another object.
pub(crate) const OTHER: &[Argument] = &[Argument {
    choices: &["a", "b"],
    object: true,
    of_future: false,
    of_texts: false,
}];
