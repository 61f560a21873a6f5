//! Whether an expression deals with files, sockets, processes or the environment: what it does there is never put back.
//! Of `std` only modules are known that do nothing outside; elsewhere, names that say what they are.

use syn::visit::{self, Visit};
use syn::{Expr, ExprMethodCall, Path};

/// Modules of `std` that touch nothing outside of the process.
const INSIDE: [&str; 38] = [
    "alloc",
    "any",
    "array",
    "ascii",
    "borrow",
    "boxed",
    "cell",
    "char",
    "clone",
    "cmp",
    "collections",
    "convert",
    "default",
    "error",
    "f32",
    "f64",
    "ffi",
    "fmt",
    "future",
    "hash",
    "iter",
    "marker",
    "mem",
    "num",
    "ops",
    "option",
    "path",
    "pin",
    "rc",
    "result",
    "slice",
    "str",
    "string",
    "sync",
    "task",
    "time",
    "vec",
    "prelude",
];

/// Items of other modules that are values.
const VALUES: [&str; 11] = [
    "io::Cursor",
    "io::Empty",
    "io::Error",
    "io::ErrorKind",
    "io::empty",
    "net::IpAddr",
    "net::Ipv4Addr",
    "net::Ipv6Addr",
    "net::SocketAddr",
    "net::SocketAddrV4",
    "net::SocketAddrV6",
];

/// Segments of other paths, such as `tokio::fs`.
const OUTSIDE: [&str; 8] = [
    "fs",
    "net",
    "process",
    "env",
    "thread",
    "File",
    "TcpStream",
    "TcpListener",
];

/// Methods of paths that look at files.
const OF_FILES: [&str; 9] = [
    "canonicalize",
    "exists",
    "is_dir",
    "is_file",
    "is_symlink",
    "metadata",
    "read_dir",
    "symlink_metadata",
    "try_exists",
];

/// Number types have modules of the same name in `std`.
const NUMBERS: [&str; 12] = [
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
];

/// True unless the code deals, or may deal, with what is outside of the process. `resolve`: what a name means by the
/// `use` of its file.
pub(super) fn is_free_of(code: &str, resolve: &dyn Fn(&str) -> Option<String>) -> bool {
    let Ok(expression) = syn::parse_str::<Expr>(code) else {
        return false;
    };
    let mut paths = Paths {
        resolve,
        outside: false,
        of_path: false,
        looks_at_files: false,
    };
    paths.visit_expr(&expression);
    !(paths.outside || paths.of_path && paths.looks_at_files)
}

/// True if all items of this path may be in scope.
pub(super) fn may_be_in_scope(path: &str) -> bool {
    is_inside(&path.split("::").collect::<Vec<_>>())
}

struct Paths<'a> {
    resolve: &'a dyn Fn(&str) -> Option<String>,
    outside: bool,
    /// Something of `std::path` is used.
    of_path: bool,
    looks_at_files: bool,
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_path(&mut self, path: &'ast Path) {
        let mut names = path.segments.iter().map(|it| it.ident.to_string());
        let first = names.next().unwrap_or_default();
        let resolved = (self.resolve)(&first).unwrap_or(first);
        let mut full: Vec<&str> = resolved.split("::").collect();
        let rest: Vec<String> = names.collect();
        full.extend(rest.iter().map(String::as_str));
        self.outside |= !is_inside(&full);
        self.of_path |= full.get(1) == Some(&"path");
        visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.looks_at_files |= OF_FILES.contains(&call.method.to_string().as_str());
        visit::visit_expr_method_call(self, call);
    }
}

fn is_inside(path: &[&str]) -> bool {
    let &[root, module, ..] = path else {
        return !path.iter().any(|it| OUTSIDE.contains(it));
    };
    if !["std", "core", "alloc"].contains(&root) {
        return !path.iter().any(|it| OUTSIDE.contains(it));
    }
    let item = path.get(2).map(|item| format!("{module}::{item}"));
    INSIDE.contains(&module)
        || NUMBERS.contains(&module)
        || item.is_some_and(|it| VALUES.contains(&it.as_str()))
        // `std::i32::MAX` aside, a name right below the root is a macro or a re-export of a module that is known.
        || path.len() == 2 && module.starts_with(char::is_uppercase)
}
