//! Values of types of `std`.

use super::closures::capturing;
use super::obstacle::Obstacle;
use super::render::source;
use super::request::{MAX_CHOICES, PartValues, Request, cannot_make, choice};
use super::rust_type::{RustType, TraitBound};
use super::stand_in::UNSENT;
use super::std_paths::{is_std, public_path};
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::ArgumentChoice;

/// The longer one of the two lengths of time.
pub(super) const LONG: &str = "Duration::from_secs(1)";

/// Alternatives for a type of `std`; `None` if the type is not of `std`.
///
/// # Errors
/// Says which type cannot be made.
pub(super) fn std_values(
    parts: &dyn PartValues,
    ty: &RustType,
    path: &str,
    request: Request<'_>,
) -> Result<Option<Vec<ArgumentChoice>>, Obstacle> {
    if !is_std(path) {
        return Ok(None);
    }
    let inner = |index: usize| ty.argument(index).ok_or_else(|| cannot_make(ty));
    let inner_values = |index: usize| parts.values(inner(index)?, request);
    let public = public_path(path);
    let wrapped = |function: &str, shown: &str| {
        let values = inner_values(0)?.into_iter();
        let wrapped = values.map(|it| wrapped_in(function, shown, it));
        Ok::<_, Obstacle>(wrapped.collect::<Vec<_>>())
    };
    let plain = |values: &[&str]| values.iter().map(|it| choice(*it, *it)).collect::<Vec<_>>();
    let name = super::std_paths::last_segment(path);
    let choices = match path {
        "alloc::string::String" => {
            let named = request.texts().into_iter().map(|it| {
                choice(
                    format!("{it}.to_string()"),
                    format!("std::string::String::from({it})"),
                )
            });
            let directory = Expression::NewDirectory
                .method("to_string_lossy", [])
                .method("into_owned", []);
            named
                .chain(request.new_directory(false, directory))
                .collect()
        }
        "core::option::Option" => {
            let mut choices = wrapped("std::option::Option::Some", "Some")?;
            choices.truncate(MAX_CHOICES - 1);
            let none = source(parts.solver().library, inner(0)?)?;
            choices.insert(
                1,
                choice("None", format!("std::option::Option::<{none}>::None")),
            );
            choices
        }
        // What is pending without a waker is never polled again.
        "core::task::poll::Poll" => wrapped("std::task::Poll::Ready", "Ready")?,
        "core::result::Result" => {
            let ty = format!(
                "std::result::Result::<{}, {}>",
                source(parts.solver().library, inner(0)?)?,
                source(parts.solver().library, inner(1)?)?
            );
            let mut choices = Vec::new();
            if let Ok(values) = inner_values(0) {
                let first = values.into_iter().take(1);
                choices.extend(first.map(|it| wrapped_in(&format!("{ty}::Ok"), "Ok", it)));
            }
            if let Ok(values) = inner_values(1) {
                let first = values.into_iter().take(1);
                choices.extend(first.map(|it| wrapped_in(&format!("{ty}::Err"), "Err", it)));
            }
            choices
        }
        "alloc::vec::Vec" | "alloc::collections::vec_deque::VecDeque" => {
            let item = source(parts.solver().library, inner(0)?)?;
            let mut choices = match inner_values(0) {
                Ok(values) => {
                    let texts: Vec<&str> =
                        values.iter().take(2).map(|it| it.text.as_str()).collect();
                    let text = format!("vec![{}]", texts.join(", "));
                    let items = values.into_iter().take(2).map(|it| it.expression);
                    vec![choice(text, Expression::list("std::vec![", items, "]"))]
                }
                Err(_) => Vec::new(),
            };
            choices.push(choice("vec![]", format!("std::vec::Vec::<{item}>::new()")));
            if name == "VecDeque" {
                let from = format!("std::collections::VecDeque::<{item}>::from");
                for it in &mut choices {
                    it.expression = Expression::call(&from, [it.expression.clone()]);
                }
            }
            choices
        }
        "alloc::vec::into_iter::IntoIter" => {
            let item = RustType::named("alloc::vec::Vec", [inner(0)?.clone()]);
            let vecs = parts.values(&item, request)?;
            vecs.into_iter()
                .map(|it| {
                    choice(
                        format!("{}.into_iter()", it.text),
                        Expression::call("std::iter::IntoIterator::into_iter", [it.expression]),
                    )
                })
                .collect()
        }
        "alloc::boxed::Box" | "alloc::sync::Arc" | "alloc::rc::Rc" => {
            pointer_values(parts, ty, &public, request)?
        }
        "alloc::borrow::Cow" => {
            let owned = parts
                .solver()
                .project(inner(0)?, "alloc::borrow::ToOwned", "Owned")
                .ok_or_else(|| cannot_make(ty))?;
            let written = source(parts.solver().library, ty)?;
            parts
                .values(&owned, request)?
                .into_iter()
                .map(|it| wrapped_in(&format!("<{written}>::Owned"), "Cow::Owned", it))
                .collect()
        }
        "core::time::Duration" => vec![
            choice(
                "Duration::from_millis(1)",
                "std::time::Duration::from_millis(1)",
            ),
            choice(LONG, "std::time::Duration::from_secs(1)"),
        ],
        "std::time::Instant" => vec![
            choice(
                "Instant::now() + Duration::from_millis(1)",
                "std::time::Instant::now() + std::time::Duration::from_millis(1)",
            ),
            choice("Instant::now()", "std::time::Instant::now()"),
        ],
        "std::time::SystemTime" => vec![choice(
            "SystemTime::UNIX_EPOCH",
            "std::time::SystemTime::UNIX_EPOCH",
        )],
        "core::num::nonzero::NonZero" => {
            let written = source(parts.solver().library, inner(0)?)?;
            ["1", "2"]
                .iter()
                .map(|it| {
                    choice(
                        format!("NonZero::new({it}).unwrap()"),
                        format!("std::num::NonZero::<{written}>::new({it}).unwrap()"),
                    )
                })
                .collect()
        }
        "core::ops::range::Range" => range(&inner_values(0)?, ".."),
        "core::ops::range::RangeInclusive" => range(&inner_values(0)?, "..="),
        "core::ops::range::RangeFrom" => {
            let values = inner_values(0)?;
            vec![choice(
                format!("{}..", values[0].text),
                values[0].expression.clone().between("", ".."),
            )]
        }
        "core::ops::range::RangeFull" => plain(&[".."]),
        "core::ops::range::Bound" => {
            let item = source(parts.solver().library, inner(0)?)?;
            let mut choices = wrapped("std::ops::Bound::Included", "Included")?;
            choices.truncate(1);
            choices.push(choice(
                "Unbounded",
                format!("std::ops::Bound::<{item}>::Unbounded"),
            ));
            choices
        }
        "core::cmp::Ordering" => vec![
            choice("Ordering::Less", "std::cmp::Ordering::Less"),
            choice("Ordering::Greater", "std::cmp::Ordering::Greater"),
        ],
        // The weakest one comes second: under weak memory it allows all that the others do, but some methods refuse it.
        "core::sync::atomic::Ordering" => vec![
            choice("Ordering::SeqCst", "std::sync::atomic::Ordering::SeqCst"),
            choice("Ordering::Relaxed", "std::sync::atomic::Ordering::Relaxed"),
        ],
        "std::hash::random::RandomState" => vec![choice(
            "RandomState::new()",
            "std::hash::RandomState::new()",
        )],
        "core::fmt::Error" => vec![choice("fmt::Error", "std::fmt::Error")],
        "std::io::error::Error" => vec![choice(
            "io::ErrorKind::Other.into()",
            "std::io::Error::from(std::io::ErrorKind::Other)",
        )],
        "core::any::TypeId" => vec![choice(
            "TypeId::of::<u32>()",
            "std::any::TypeId::of::<u32>()",
        )],
        "core::panic::location::Location" => Vec::new(),
        "core::marker::PhantomData" => {
            let item = source(parts.solver().library, inner(0)?)?;
            vec![choice(
                "PhantomData",
                format!("std::marker::PhantomData::<{item}>"),
            )]
        }
        "std::path::PathBuf" | "std::ffi::os_str::OsString" => {
            let named = request.texts().into_iter();
            let named =
                named.map(|it| choice(format!("{it}.into()"), format!("{public}::from({it})")));
            let directory = Expression::call(format!("{public}::from"), [Expression::NewDirectory]);
            named
                .chain(request.new_directory(true, directory))
                .collect()
        }
        "alloc::ffi::c_str::CString" => {
            vec![choice("c\"a\".into()", "std::ffi::CString::from(c\"a\")")]
        }
        "core::net::ip_addr::IpAddr" => vec![choice(
            "127.0.0.1",
            "std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST)",
        )],
        "core::net::ip_addr::Ipv4Addr" => {
            vec![choice("127.0.0.1", "std::net::Ipv4Addr::LOCALHOST")]
        }
        "core::net::ip_addr::Ipv6Addr" => {
            vec![choice("[::1]", "std::net::Ipv6Addr::LOCALHOST")]
        }
        "core::net::socket_addr::SocketAddr" | "core::net::socket_addr::SocketAddrV4" => [1, 2]
            .map(|port| {
                let address =
                    format!("std::net::SocketAddrV4::new(std::net::Ipv4Addr::LOCALHOST, {port})");
                let made = match name {
                    "SocketAddr" => format!("std::net::SocketAddr::V4({address})"),
                    _ => address,
                };
                choice(format!("127.0.0.1:{port}"), made)
            })
            .into(),
        "core::net::socket_addr::SocketAddrV6" => vec![choice(
            "[::1]:1",
            "std::net::SocketAddrV6::new(std::net::Ipv6Addr::LOCALHOST, 1, 0, 0)",
        )],
        "core::pin::Pin" => wrapped("std::boxed::Box::into_pin", "Box::into_pin")?,
        "std::io::cursor::Cursor" => wrapped("std::io::Cursor::new", "Cursor::new")?,
        "core::future::ready::Ready" => wrapped("std::future::ready", "ready")?,
        "core::num::wrapping::Wrapping" => wrapped("std::num::Wrapping", "Wrapping")?,
        "std::thread::id::ThreadId" => {
            vec![choice(
                "thread::current().id()",
                "std::thread::current().id()",
            )]
        }
        "std::thread::thread::Thread" => {
            vec![choice("thread::current()", "std::thread::current()")]
        }
        "core::task::wake::Waker" => {
            vec![choice("Waker::noop()", "std::task::Waker::noop().clone()")]
        }
        "std::sync::poison::mutex::Mutex"
        | "std::sync::poison::rwlock::RwLock"
        | "core::cell::Cell"
        | "core::cell::RefCell"
        | "core::cell::UnsafeCell" => wrapped(&format!("{public}::new"), &format!("{name}::new"))?,
        path if path.starts_with("core::sync::atomic::Atomic") => {
            let number = if name == "AtomicBool" { "false" } else { "0" };
            if name == "AtomicPtr" {
                Vec::new()
            } else {
                vec![choice(
                    format!("{name}::new({number})"),
                    format!("{public}::new({number})"),
                )]
            }
        }
        "std::collections::hash::map::HashMap"
        | "std::collections::hash::set::HashSet"
        | "alloc::collections::btree::map::BTreeMap"
        | "alloc::collections::btree::set::BTreeSet"
        | "alloc::collections::binary_heap::BinaryHeap" => {
            collection_values(parts, ty, name, request)?
        }
        _ => Vec::new(),
    };
    Ok(Some(choices))
}

fn pointer_values(
    parts: &dyn PartValues,
    ty: &RustType,
    public: &str,
    request: Request<'_>,
) -> Result<Vec<ArgumentChoice>, Obstacle> {
    let inner = ty.argument(0).ok_or_else(|| cannot_make(ty))?;
    let name = super::std_paths::last_segment(public);
    let (values, cast) = match inner {
        RustType::Primitive(text) if text == "str" => {
            let text = parts.values(&RustType::reference(inner.clone()), request)?;
            let (function, shown) = (format!("{public}::<str>::from"), format!("{name}::from"));
            let from = text.into_iter().map(|it| wrapped_in(&function, &shown, it));
            return Ok(from.collect());
        }
        RustType::Slice(item) => {
            let vec = RustType::named("alloc::vec::Vec", [(**item).clone()]);
            let written = source(parts.solver().library, inner)?;
            let (function, shown) = (
                format!("{public}::<{written}>::from"),
                format!("{name}::from"),
            );
            let vecs = parts.values(&vec, request)?.into_iter();
            return Ok(vecs.map(|it| wrapped_in(&function, &shown, it)).collect());
        }
        RustType::Dyn(bounds) => {
            let chosen = parts.type_of(bounds)?;
            let written = source(parts.solver().library, ty)?;
            let sent = |it: &TraitBound| it.path == "core::marker::Send";
            let captures = parts.captures() && !bounds.iter().any(sent);
            let values = parts.values(&chosen, request)?.into_iter();
            let values = values.map(|it| match &it.expression {
                closure @ Expression::Closure { .. } if captures => {
                    let captured = capturing(closure);
                    let text = format!("{} with `{UNSENT}`", it.text);
                    captured.map_or(it, |expression| choice(text, expression))
                }
                _ => it,
            });
            (values.collect(), format!(" as {written}"))
        }
        _ => (parts.values(inner, request)?, String::new()),
    };
    let (function, shown) = (format!("{public}::new"), format!("{name}::new"));
    let made = values.into_iter().map(|it| {
        let made = wrapped_in(&function, &shown, it);
        if cast.is_empty() {
            return made;
        }
        choice(made.text, made.expression.between("(", format!("{cast})")))
    });
    Ok(made.collect())
}

fn collection_values(
    parts: &dyn PartValues,
    ty: &RustType,
    name: &str,
    request: Request<'_>,
) -> Result<Vec<ArgumentChoice>, Obstacle> {
    let written = source(parts.solver().library, ty)?;
    let items: Vec<RustType> = (0..2).filter_map(|it| ty.argument(it).cloned()).collect();
    let item = match items.as_slice() {
        [key, value] => RustType::Tuple(vec![key.clone(), value.clone()]),
        [only] => only.clone(),
        _ => return Err(cannot_make(ty)),
    };
    let mut choices = Vec::new();
    if let Ok(values) = parts.values(&item, request) {
        let it = &values[0];
        choices.push(choice(
            format!("{name}::from_iter([{}])", it.text),
            it.expression.clone().between(
                format!("<{written} as std::iter::FromIterator<_>>::from_iter(["),
                "])",
            ),
        ));
    }
    choices.push(choice(
        format!("{name}::new()"),
        format!("<{written} as std::default::Default>::default()"),
    ));
    Ok(choices)
}

fn range(values: &[ArgumentChoice], dots: &str) -> Vec<ArgumentChoice> {
    let last = &values[values.len() - 1];
    let first = values
        .iter()
        .find(|it| it.text == "0")
        .unwrap_or(&values[0]);
    vec![choice(
        format!("{}{dots}{}", first.text, last.text),
        Expression::Sequence(vec![
            "(".into(),
            first.expression.clone(),
            dots.into(),
            last.expression.clone(),
            ")".into(),
        ]),
    )]
}

/// The value as the only argument of a function.
fn wrapped_in(function: &str, shown: &str, it: ArgumentChoice) -> ArgumentChoice {
    choice(
        format!("{shown}({})", it.text),
        Expression::call(function, [it.expression]),
    )
}
