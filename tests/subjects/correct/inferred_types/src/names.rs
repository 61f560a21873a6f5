//! Modules and macros with the names of crates.

#[cfg(test)]
mod test {
    pub fn helper() -> u32 {
        1
    }
}

#[cfg(test)]
mod alloc {
    pub fn layout() -> u32 {
        2
    }
}

#[cfg(test)]
mod contest {
    pub fn engine() -> u32 {
        3
    }
}

#[cfg(test)]
mod libc {
    pub fn getpid() -> u32 {
        4
    }
}

#[cfg(test)]
macro_rules! thread_local {
    ($value:expr) => {
        $value
    };
}

#[cfg(test)]
mod found {
    // By a glob, beside which a crate of the same name in sight is ambiguous.
    use super::*;

    use contest::engine;
    use libc::getpid;
    use test::helper;

    #[test]
    fn a_module_is_what_its_name_means() {
        assert_eq!(helper() + engine() + getpid(), 8);
        assert_eq!(super::alloc::layout() + thread_local!(1), 3);
    }
}
