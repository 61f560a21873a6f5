//! What stands around a block of inline assembly: which memory its operands lead to, and the engine.

use contest_engine::execution::{AssemblyBlock, AssemblyFence, active};

/// An operand that is read.
#[derive(Debug)]
pub struct Operand<'a, T>(pub &'a T);

/// What is known of any operand: nothing. Pointers and references have a method of this name of their own.
pub trait Anything {
    /// First byte and number of bytes of what it leads to; of none, `(0, 0)`.
    fn pointee(&self) -> (usize, usize) {
        (0, 0)
    }
}

impl<T> Anything for &Operand<'_, T> {}

macro_rules! pointers {
    ($($pointer:ty)*) => {$(
        impl<T> Operand<'_, $pointer> {
            /// First byte and number of bytes of what it leads to.
            #[must_use]
            pub fn pointee(&self) -> (usize, usize) {
                let pointer: *const T = &raw const **self.0;
                (pointer.expose_provenance(), size_of::<T>())
            }
        }
    )*};
}

pointers!(&T &mut T);

impl<T> Operand<'_, *const T> {
    /// First byte and number of bytes of what it leads to.
    #[must_use]
    pub fn pointee(&self) -> (usize, usize) {
        (self.0.expose_provenance(), size_of::<T>())
    }
}

impl<T> Operand<'_, *mut T> {
    /// First byte and number of bytes of what it leads to.
    #[must_use]
    pub fn pointee(&self) -> (usize, usize) {
        (self.0.expose_provenance(), size_of::<T>())
    }
}

/// Before a block; `options` and `code` are those of its macro, as text. One that uses no memory concerns no other
/// thread.
#[track_caller]
#[must_use]
pub fn before(pointees: &[(usize, usize)], options: &str, code: &str) -> Option<AssemblyBlock> {
    let active = active()?;
    if options.contains("nomem") {
        return None;
    }
    active.before_assembly(pointees, fence(code))
}

/// What the block says of being a full fence, as on x86: one instruction, which is `mfence` or has the prefix `lock`.
fn fence(code: &str) -> AssemblyFence {
    let of_x86 = cfg!(any(target_arch = "x86", target_arch = "x86_64"));
    let text = code.trim_start().strip_prefix('"');
    let Some((line, operands)) = text.and_then(|text| text.split_once('"')) else {
        return AssemblyFence::No;
    };
    let is_one = !line.contains([';', '\\'])
        && !operands.contains('"')
        && !operands.contains("sym ")
        && !operands.contains("concat");
    let line = line.trim();
    match of_x86 && is_one {
        true if line == "mfence" => AssemblyFence::Yes,
        true if line.starts_with("lock ") => {
            let of_stack = ["[rsp", "[esp", "(%rsp)", "(%esp)"];
            match of_stack.iter().any(|place| line.contains(place)) {
                true => AssemblyFence::Yes,
                false => AssemblyFence::OfOwnMemory,
            }
        }
        _ => AssemblyFence::No,
    }
}

/// After a block.
pub fn after(block: Option<AssemblyBlock>) {
    if let (Some(active), Some(block)) = (active(), block) {
        active.after_assembly(block);
    }
}

#[cfg(test)]
mod tests {
    use super::{AssemblyFence, fence};

    #[test]
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    fn one_locked_instruction_is_a_fence() {
        let of_own = r#""lock not qword ptr [{0}]", in(reg) value, options(nostack),"#;
        assert_eq!(fence(of_own), AssemblyFence::OfOwnMemory);
        assert_eq!(
            fence(r#""lock or dword ptr [rsp], 0","#),
            AssemblyFence::Yes
        );
        assert_eq!(fence(r#""mfence", options(nostack),"#), AssemblyFence::Yes);
    }

    #[test]
    fn what_is_more_or_uses_statics_is_none() {
        for code in [
            r#""xchg dword ptr [{}], {:e}", in(reg) value,"#,
            r#""lock xadd [{0}], {1}", "setc {2}", in(reg) value,"#,
            r#""lock inc qword ptr [{0}]; mov [{1}], 1", in(reg) value,"#,
            r#""lock inc qword ptr [rip + {}]", sym STATE,"#,
            r#"concat! ("lock inc", " [{}]"), in(reg) value,"#,
            r#""mov {}, 1\n mfence", out(reg) value,"#,
        ] {
            assert_eq!(fence(code), AssemblyFence::No, "{code}");
        }
    }
}
