//! Values of types of `std`.

use super::recipes::{MAX_CHOICES, Recipes, Request, cannot_make, choice};
use super::render::source;
use super::rust_type::RustType;
use super::std_paths::{is_std, public_path};
use super::subject_catalog::ArgumentChoice;

impl Recipes<'_> {
    /// Alternatives for a type of `std`; `None` if the type is not of `std`.
    ///
    /// # Errors
    /// Says which type cannot be made.
    pub(crate) fn std_values(
        &self,
        ty: &RustType,
        path: &str,
        request: Request<'_>,
    ) -> Result<Option<Vec<ArgumentChoice>>, String> {
        if !is_std(path) {
            return Ok(None);
        }
        let inner = |index: usize| ty.argument(index).ok_or_else(|| cannot_make(ty));
        let inner_values = |index: usize| self.values(inner(index)?, request);
        let public = public_path(path);
        let wrapped = |make: &dyn Fn(&str) -> String, text: &dyn Fn(&str) -> String| {
            let values = inner_values(0)?;
            Ok::<_, String>(
                values
                    .into_iter()
                    .map(|it| choice(text(&it.text), make(&it.expression)))
                    .collect::<Vec<_>>(),
            )
        };
        let plain = |values: &[&str]| values.iter().map(|it| choice(*it, *it)).collect::<Vec<_>>();
        let name = super::std_paths::last_segment(path);
        let choices = match path {
            "alloc::string::String" => ["a", "b"]
                .iter()
                .map(|it| {
                    choice(
                        format!("{it:?}.to_string()"),
                        format!("std::string::String::from({it:?})"),
                    )
                })
                .collect(),
            "core::option::Option" => {
                let mut choices =
                    wrapped(&|it| format!("std::option::Option::Some({it})"), &|it| {
                        format!("Some({it})")
                    })?;
                choices.truncate(MAX_CHOICES - 1);
                let none = source(self.solver.library, inner(0)?)?;
                choices.insert(
                    1,
                    choice("None", format!("std::option::Option::<{none}>::None")),
                );
                choices
            }
            "core::result::Result" => {
                let ty = format!(
                    "std::result::Result::<{}, {}>",
                    source(self.solver.library, inner(0)?)?,
                    source(self.solver.library, inner(1)?)?
                );
                let mut choices = Vec::new();
                if let Ok(values) = inner_values(0) {
                    let it = &values[0];
                    choices.push(choice(
                        format!("Ok({})", it.text),
                        format!("{ty}::Ok({})", it.expression),
                    ));
                }
                if let Ok(values) = inner_values(1) {
                    let it = &values[0];
                    choices.push(choice(
                        format!("Err({})", it.text),
                        format!("{ty}::Err({})", it.expression),
                    ));
                }
                choices
            }
            "alloc::vec::Vec" | "alloc::collections::vec_deque::VecDeque" => {
                let item = source(self.solver.library, inner(0)?)?;
                let mut choices = match inner_values(0) {
                    Ok(values) => {
                        let list = |of: &dyn Fn(&ArgumentChoice) -> String| {
                            values.iter().take(2).map(of).collect::<Vec<_>>().join(", ")
                        };
                        vec![choice(
                            format!("vec![{}]", list(&|it| it.text.clone())),
                            format!("std::vec![{}]", list(&|it| it.expression.clone())),
                        )]
                    }
                    Err(_) => Vec::new(),
                };
                choices.push(choice("vec![]", format!("std::vec::Vec::<{item}>::new()")));
                if name == "VecDeque" {
                    for it in &mut choices {
                        it.expression = format!(
                            "std::collections::VecDeque::<{item}>::from({})",
                            it.expression
                        );
                    }
                }
                choices
            }
            "alloc::vec::into_iter::IntoIter" => {
                let item = RustType::named("alloc::vec::Vec", [inner(0)?.clone()]);
                let vecs = self.values(&item, request)?;
                vecs.into_iter()
                    .map(|it| {
                        choice(
                            format!("{}.into_iter()", it.text),
                            format!("std::iter::IntoIterator::into_iter({})", it.expression),
                        )
                    })
                    .collect()
            }
            "alloc::boxed::Box" | "alloc::sync::Arc" | "alloc::rc::Rc" => {
                self.pointer_values(ty, &public, request)?
            }
            "alloc::borrow::Cow" => {
                let owned = self
                    .solver
                    .project(inner(0)?, "alloc::borrow::ToOwned", "Owned")
                    .ok_or_else(|| cannot_make(ty))?;
                let written = source(self.solver.library, ty)?;
                self.values(&owned, request)?
                    .into_iter()
                    .map(|it| {
                        choice(
                            format!("Cow::Owned({})", it.text),
                            format!("<{written}>::Owned({})", it.expression),
                        )
                    })
                    .collect()
            }
            "core::time::Duration" => vec![
                choice(
                    "Duration::from_millis(1)",
                    "std::time::Duration::from_millis(1)",
                ),
                choice("Duration::ZERO", "std::time::Duration::ZERO"),
                choice(
                    "Duration::from_secs(1)",
                    "std::time::Duration::from_secs(1)",
                ),
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
                let written = source(self.solver.library, inner(0)?)?;
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
                    format!("{}..", values[0].expression),
                )]
            }
            "core::ops::range::RangeFull" => plain(&[".."]),
            "core::ops::range::Bound" => {
                let item = source(self.solver.library, inner(0)?)?;
                let mut choices =
                    wrapped(&|it| format!("std::ops::Bound::Included({it})"), &|it| {
                        format!("Included({it})")
                    })?;
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
            "core::sync::atomic::Ordering" => vec![choice(
                "Ordering::SeqCst",
                "std::sync::atomic::Ordering::SeqCst",
            )],
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
                let item = source(self.solver.library, inner(0)?)?;
                vec![choice(
                    "PhantomData",
                    format!("std::marker::PhantomData::<{item}>"),
                )]
            }
            "std::path::PathBuf" | "std::ffi::os_str::OsString" => ["a", "b"]
                .iter()
                .map(|it| choice(format!("{it:?}.into()"), format!("{public}::from({it:?})")))
                .collect(),
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
            "core::future::ready::Ready" => {
                wrapped(&|it| format!("std::future::ready({it})"), &|it| {
                    format!("ready({it})")
                })?
            }
            "core::num::wrapping::Wrapping" => {
                wrapped(&|it| format!("std::num::Wrapping({it})"), &|it| {
                    format!("Wrapping({it})")
                })?
            }
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
            | "core::cell::UnsafeCell" => wrapped(&|it| format!("{public}::new({it})"), &|it| {
                format!("{name}::new({it})")
            })?,
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
                self.collection_values(ty, name, request)?
            }
            _ => Vec::new(),
        };
        Ok(Some(choices))
    }

    fn pointer_values(
        &self,
        ty: &RustType,
        public: &str,
        request: Request<'_>,
    ) -> Result<Vec<ArgumentChoice>, String> {
        let inner = ty.argument(0).ok_or_else(|| cannot_make(ty))?;
        let name = super::std_paths::last_segment(public);
        let (values, cast) = match inner {
            RustType::Primitive(text) if text == "str" => {
                let text = self.values(&RustType::reference(inner.clone()), request)?;
                let from = text.into_iter().map(|it| {
                    choice(
                        format!("{name}::from({})", it.text),
                        format!("{public}::<str>::from({})", it.expression),
                    )
                });
                return Ok(from.collect());
            }
            RustType::Slice(item) => {
                let vec = RustType::named("alloc::vec::Vec", [(**item).clone()]);
                let written = source(self.solver.library, inner)?;
                let from = self.values(&vec, request)?.into_iter().map(|it| {
                    choice(
                        format!("{name}::from({})", it.text),
                        format!("{public}::<{written}>::from({})", it.expression),
                    )
                });
                return Ok(from.collect());
            }
            RustType::Dyn(bounds) => {
                let chosen = self.type_for(bounds, &std::collections::HashMap::new(), &[])?;
                let written = source(self.solver.library, ty)?;
                (self.values(&chosen, request)?, format!(" as {written}"))
            }
            _ => (self.values(inner, request)?, String::new()),
        };
        Ok(values
            .into_iter()
            .map(|it| {
                let made = format!("{public}::new({})", it.expression);
                let made = if cast.is_empty() {
                    made
                } else {
                    format!("({made}{cast})")
                };
                choice(format!("{name}::new({})", it.text), made)
            })
            .collect())
    }

    fn collection_values(
        &self,
        ty: &RustType,
        name: &str,
        request: Request<'_>,
    ) -> Result<Vec<ArgumentChoice>, String> {
        let written = source(self.solver.library, ty)?;
        let items: Vec<RustType> = (0..2).filter_map(|it| ty.argument(it).cloned()).collect();
        let item = match items.as_slice() {
            [key, value] => RustType::Tuple(vec![key.clone(), value.clone()]),
            [only] => only.clone(),
            _ => return Err(cannot_make(ty)),
        };
        let mut choices = Vec::new();
        if let Ok(values) = self.values(&item, request) {
            let it = &values[0];
            choices.push(choice(
                format!("{name}::from_iter([{}])", it.text),
                format!(
                    "<{written} as std::iter::FromIterator<_>>::from_iter([{}])",
                    it.expression
                ),
            ));
        }
        choices.push(choice(
            format!("{name}::new()"),
            format!("<{written} as std::default::Default>::default()"),
        ));
        Ok(choices)
    }
}

fn range(values: &[ArgumentChoice], dots: &str) -> Vec<ArgumentChoice> {
    let last = &values[values.len() - 1];
    let first = values
        .iter()
        .find(|it| it.text == "0")
        .unwrap_or(&values[0]);
    vec![choice(
        format!("{}{dots}{}", first.text, last.text),
        format!("({}{dots}{})", first.expression, last.expression),
    )]
}
