//! What can stand for an argument of a call.

use super::FutureUse;

/// What can stand for one argument: texts of the alternatives, in order of preference.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Rust expressions, e.g. `1`, `"a".to_string()`.
    pub choices: &'static [&'static str],
    /// True if the choices are the test's objects of the subject's own type (`&Self` parameters); then `choices` is
    /// `["a", "b"]`.
    pub object: bool,
    /// True if the choices are how the future that the operation returns is used ([`FutureUse`]); always the last one.
    pub of_future: bool,
    /// True if the choices are texts of several forms, [`Argument::OF_A_FORM`] of each.
    pub of_texts: bool,
}

impl Argument {
    /// The last argument of every operation that returns a future.
    pub const OF_FUTURE: Self = Self {
        choices: &FutureUse::CHOICES,
        object: false,
        of_future: true,
        of_texts: false,
    };

    /// The last argument of every constructor, where the code under test may run on a runtime of tokio with several
    /// threads: on one with one thread first.
    pub const OF_RUNTIME: Self = Self {
        choices: &["", " on two workers"],
        object: false,
        of_future: false,
        of_texts: false,
    };

    /// How many texts there are of each form.
    pub const OF_A_FORM: u8 = 2;

    /// Number of values: the same texts in another form are no further ones.
    #[must_use]
    pub fn values(&self) -> u8 {
        let all = u8::try_from(self.choices.len()).unwrap_or(u8::MAX);
        match self.of_texts {
            true => all.min(Self::OF_A_FORM),
            false => all,
        }
    }

    /// The number of the value that this choice is.
    #[must_use]
    pub fn value_of(&self, choice: u8) -> u8 {
        match self.of_texts {
            true => choice % Self::OF_A_FORM,
            false => choice,
        }
    }

    /// The choice that is this value in the form of this number; the choice itself where there is no such form, or it
    /// is of another one already.
    #[must_use]
    pub fn in_form(&self, choice: u8, form: u8) -> u8 {
        let wanted = form.saturating_mul(Self::OF_A_FORM).saturating_add(choice);
        let is_there = usize::from(wanted) < self.choices.len();
        match self.of_texts && choice < Self::OF_A_FORM && is_there {
            true => wanted,
            false => choice,
        }
    }

    /// Number of forms; 1 unless the choices are texts of several.
    #[must_use]
    pub fn forms(&self) -> u8 {
        match self.of_texts {
            true => u8::try_from(self.choices.len()).unwrap_or(u8::MAX) / Self::OF_A_FORM,
            false => 1,
        }
    }

    /// True for [`Argument::OF_RUNTIME`].
    #[must_use]
    pub fn is_of_runtime(&self) -> bool {
        self.choices == Self::OF_RUNTIME.choices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_several_forms_are_as_many_values_as_one_form_has() {
        let mut argument = Argument {
            choices: &["a", "b", "1", "2", "a@b", "c@b"],
            object: false,
            of_future: false,
            of_texts: true,
        };
        assert_eq!((argument.values(), argument.forms()), (2, 3));
        let in_form = |form| [0, 1].map(|choice| argument.in_form(choice, form));
        assert_eq!([0, 2, 3].map(in_form), [[0, 1], [4, 5], [0, 1]]);
        // What has a form keeps it.
        assert_eq!(argument.in_form(2, 2), 2);
        assert_eq!([0, 1, 4, 5].map(|it| argument.value_of(it)), [0, 1, 0, 1]);

        argument.of_texts = false;
        assert_eq!((argument.values(), argument.forms()), (6, 1));
        assert_eq!((argument.in_form(1, 2), argument.value_of(5)), (1, 5));
    }
}
