//! The runtime of tokio that a driver provides where code under test needs one, as source.

use contest_data::trace::RUNTIME_THREAD;

use super::subject_package::SubjectPackage;

/// A module.
const MODULE: &str = include_str!("tokio_runtime.rs.in");
/// A part of it, where the runtime may have several threads.
const WORKERS: &str = r#"        if workers {
            let runtime = ::tokio::runtime::Builder::new_multi_thread().worker_threads(2){time}.build();
            let runtime = ::core::mem::ManuallyDrop::new(runtime.expect("a runtime of tokio"));
            return known(&runtime);
        }
"#;

/// Which runtime it is; code under test that needs none gets none.
#[derive(Clone, Copy, Debug)]
pub(super) enum ProvidedRuntime {
    None,
    /// One of tokio; `workers`: the constructors of a test choose whether it has one thread or two workers.
    Tokio {
        time: bool,
        workers: bool,
    },
}

impl ProvidedRuntime {
    pub(super) fn of(package: &SubjectPackage) -> Self {
        match &package.tokio {
            Some(tokio) => Self::Tokio {
                time: tokio.time,
                workers: tokio.workers,
            },
            None => Self::None,
        }
    }

    /// The module, if there is one.
    pub(super) fn source(self) -> Option<String> {
        let Self::Tokio { time, workers } = self else {
            return None;
        };
        let module = MODULE.replace("{workers}", if workers { WORKERS } else { "" });
        let module = module.replace("{time}", if time { ".enable_time()" } else { "" });
        Some(module.replace("{name:?}", &format!("{RUNTIME_THREAD:?}")))
    }

    /// What comes first in every operation.
    pub(super) fn entered(self) -> &'static str {
        match self {
            Self::Tokio { .. } => "    tokio_runtime::enter(false);\n",
            Self::None => "",
        }
    }

    /// What comes first in a constructor with this many arguments.
    pub(super) fn made(self, arguments: usize) -> String {
        if self.is_chosen() {
            format!("    tokio_runtime::enter(call.choice({arguments}) == 1);\n")
        } else {
            self.entered().to_owned()
        }
    }

    /// True if each constructor has one argument more, which is the runtime.
    pub(super) fn is_chosen(self) -> bool {
        matches!(self, Self::Tokio { workers: true, .. })
    }
}
