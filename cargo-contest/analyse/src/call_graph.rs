//! Which functions may run which: targets of all calls, and the functions that the package can reach.

use super::bindings::Targets;
use super::callees::Target;
use super::mir::body::{Call, Callee, CalleePath, Terminator};
use super::mir::callee_path;
use super::mir::ty::{Name, Type, last_segment};
use super::program::{CrateId, Program};

/// The call graph of what the package can reach.
#[derive(Debug, Default)]
pub(crate) struct CallGraph {
    /// Targets of the calls of each function, by block; empty for functions that the package does not reach.
    pub(crate) targets: Vec<Targets>,
    /// Functions that each function may run.
    pub(crate) callees: Vec<Vec<u32>>,
}

impl CallGraph {
    pub(crate) fn new(program: &Program) -> Self {
        let count = program.functions.len();
        let mut graph = Self {
            targets: vec![Vec::new(); count],
            callees: vec![Vec::new(); count],
        };
        let own = program.own();
        let functions = (0_u32..).zip(&program.functions);
        let mut waiting: Vec<u32> = functions
            .filter(|(_, it)| it.krate == own)
            .map(|(number, _)| number)
            .collect();
        let mut seen = vec![false; count];
        for number in &waiting {
            seen[*number as usize] = true;
        }
        while let Some(number) = waiting.pop() {
            let (targets, mut callees) = program.calls_of(number);
            callees.sort_unstable();
            callees.dedup();
            for callee in &callees {
                if !std::mem::replace(&mut seen[*callee as usize], true) {
                    waiting.push(*callee);
                }
            }
            graph.targets[number as usize] = targets;
            graph.callees[number as usize] = callees;
        }
        graph
    }
}

impl Program {
    fn calls_of(&self, number: u32) -> (Targets, Vec<u32>) {
        let function = &self.functions[number as usize];
        let body = &function.body;
        let krate = function.krate;
        let mut callees = Vec::new();
        let drops = |ty: &Type, callees: &mut Vec<u32>| {
            callees.extend(self.drop_calls(krate, ty).iter().map(|(_, it)| it));
        };
        let mut targets = Targets::with_capacity(body.blocks().len());
        for block in body.blocks() {
            targets.push(match &block.terminator.0 {
                _ if block.cleanup => None,
                Terminator::Drop(place, _) => {
                    drops(&body.type_of(place), &mut callees);
                    None
                }
                Terminator::Call(call) => {
                    let target = self.target_of(krate, call);
                    match &target {
                        Some(Target::Functions(found) | Target::Open(found, _)) => {
                            callees.extend(found);
                        }
                        Some(Target::Standard { name, .. }) => {
                            if let Callee::Path(path) = &call.callee {
                                callees.extend(self.implied(krate, path, name));
                            }
                            if matches!(&**name, "drop" | "drop_in_place") {
                                for operand in &call.arguments {
                                    let ty = body.operand_type(operand);
                                    drops(ty.referent(), &mut callees);
                                    drops(&ty, &mut callees);
                                }
                            }
                        }
                        _ => {}
                    }
                    for operand in &call.arguments {
                        self.passed(krate, &body.operand_type(operand), &mut callees);
                    }
                    target
                }
                _ => None,
            });
        }
        (targets, callees)
    }

    fn target_of(&self, krate: CrateId, call: &Call) -> Option<Target> {
        match &call.callee {
            Callee::Path(path) => Some(self.target(krate, path)),
            Callee::Pointer(_) => None,
        }
    }

    /// Functions that a call is given, and that it may run.
    fn passed(&self, krate: CrateId, ty: &Type, callees: &mut Vec<u32>) {
        match ty.referent() {
            Type::Closure(at) => callees.extend(self.closures.get(at)),
            Type::Function(path) => {
                if let Some(Target::Functions(found)) = self.function_value(krate, path) {
                    callees.extend(found);
                }
            }
            _ => {}
        }
    }

    /// What a function means that is passed on by its path.
    pub(crate) fn function_value(&self, krate: CrateId, path: &Name) -> Option<Target> {
        let target = self.target(krate, &callee_path(path)?);
        let is_variant = || {
            // A tuple struct or variant as a function makes a value.
            last_segment(path).starts_with(char::is_uppercase)
        };
        match target {
            Target::Unknown(_) if is_variant() => Some(Target::Parameter),
            target => Some(target),
        }
    }

    /// Methods of types of the graph that a function of the standard library runs although it is not one of them.
    pub(crate) fn implied(&self, krate: CrateId, path: &CalleePath, name: &str) -> Vec<u32> {
        let owner = last_segment(&path.owner);
        let methods: &[&str] = match name {
            "clone" | "cloned" | "to_vec" | "to_owned" | "extend_from_slice" | "resize"
            | "clone_from" => &["clone"],
            "eq" | "ne" | "contains" | "starts_with" | "ends_with" | "dedup" => &["eq"],
            "new_debug"
            | "new_display"
            | "fmt"
            | "to_string"
            | "field"
            | "entries"
            | "entry"
            | "debug_struct_field1_finish" => &["fmt"],
            "cmp" | "partial_cmp" | "lt" | "le" | "gt" | "ge" | "min" | "max" | "binary_search" => {
                &["cmp", "partial_cmp"]
            }
            name if name.starts_with("sort") => &["cmp", "partial_cmp"],
            "hash" => &["hash"],
            "into" | "try_into" | "from_residual" => &["from"],
            "default" | "unwrap_or_default" | "or_default" => &["default"],
            "clear" | "truncate" | "retain" | "drain" => &["drop"],
            "collect" | "for_each" | "fold" | "count" | "last" | "nth" | "sum" | "all" | "any"
            | "find" | "extend" | "next" => &["next"],
            _ if matches!(owner, "HashMap" | "HashSet") => &["hash", "eq"],
            _ if matches!(owner, "BTreeMap" | "BTreeSet" | "BinaryHeap") => &["cmp", "partial_cmp"],
            _ => return Vec::new(),
        };
        // A handle is counted up; what it leads to is not copied.
        let is_handle = |ty: &Type| matches!(ty.last(), "Arc" | "Rc" | "Weak");
        if name == "clone"
            && (path.self_type.as_ref().is_some_and(is_handle) || matches!(owner, "Arc" | "Rc"))
        {
            return Vec::new();
        }
        let mut owners: Vec<(CrateId, String)> = Vec::new();
        for ty in path.arguments.iter().chain(&path.self_type) {
            ty.each(&mut |it| {
                if let Type::Named(path, _) = it
                    && let Some(declared) = self.declared(krate, path)
                    && !self.is_modelled(declared.krate)
                {
                    owners.push((declared.krate, last_segment(declared.path).to_string()));
                }
            });
        }
        if owners.is_empty() {
            return Vec::new();
        }
        let named = methods
            .iter()
            .filter_map(|it| self.by_name.get(*it))
            .flatten();
        named
            .copied()
            .filter(|it| {
                let it = &self.functions[*it as usize];
                it.trait_().is_some()
                    && owners
                        .iter()
                        .any(|(krate, owner)| it.krate == *krate && it.owner() == owner)
            })
            .collect()
    }
}
