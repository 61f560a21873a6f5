//! The form of a line: words, each with a space behind it.
//!
//! A number is decimal, and 0 or 1 where it is an answer. A text is in quotes, with `\n`, `\"` and `\\` for the end of
//! a line, a quote and a backslash. An option is `-`, or `+` and its value. A list is its values between `[` and `]`. A
//! choice is the name of its variant and what that holds. A record is its fields.

use std::fmt;

/// A value that crosses the wall.
pub(crate) trait Wire: Sized {
    /// Adds it to a line.
    fn write(&self, line: &mut Line);
    /// Takes one from a line.
    fn read(words: &mut Words<'_>) -> Result<Self, Malformed>;
}

/// A value as a line, without its end.
pub(crate) fn write(value: &impl Wire) -> String {
    let mut line = Line(String::new());
    value.write(&mut line);
    line.0
}

/// A value from a whole line.
pub(crate) fn read<T: Wire>(line: &str) -> Result<T, Malformed> {
    let line = line.trim_end();
    let mut words = Words {
        rest: line,
        length: line.len(),
    };
    let value = T::read(&mut words)?;
    match words.rest {
        "" => Ok(value),
        _ => Err(words.expected("the end")),
    }
}

/// Why a line cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// What should have been there.
    expected: &'static str,
    /// The byte of the line where it should have been.
    at: usize,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at byte {}", self.expected, self.at)
    }
}

impl std::error::Error for Malformed {}

/// A line that is being written.
pub(crate) struct Line(String);

impl Line {
    /// Adds a word that has neither spaces nor quotes.
    pub(crate) fn word(&mut self, word: &str) {
        self.0.push_str(word);
        self.0.push(' ');
    }

    /// Adds a number.
    pub(crate) fn number(&mut self, mut number: u64) {
        let mut digits = [0; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.0.extend(digits[first..].iter().map(|&it| it as char));
        self.0.push(' ');
    }

    /// Adds a text.
    pub(crate) fn text(&mut self, text: &str) {
        self.0.push('"');
        let mut rest = text;
        while let Some(at) = rest.find(['\n', '"', '\\']) {
            self.0.push_str(&rest[..at]);
            self.0.push('\\');
            self.0.push(match rest.as_bytes()[at] {
                b'\n' => 'n',
                other => other as char,
            });
            rest = &rest[at + 1..];
        }
        self.0.push_str(rest);
        self.word("\"");
    }
}

/// A line that is being read. What it says may be anything: code under test can have written to the memory of its
/// process.
pub(crate) struct Words<'a> {
    rest: &'a str,
    /// Of the whole line, for errors.
    length: usize,
}

impl<'a> Words<'a> {
    /// What is an error at this place.
    pub(crate) fn expected(&self, expected: &'static str) -> Malformed {
        Malformed {
            expected,
            at: self.length - self.rest.len(),
        }
    }

    /// The next word, as it is.
    pub(crate) fn peek(&self) -> &'a str {
        let end = self.rest.find(' ').unwrap_or(self.rest.len());
        &self.rest[..end]
    }

    /// Takes the next word; empty at the end.
    pub(crate) fn word(&mut self) -> &'a str {
        let word = self.peek();
        self.rest = self.rest.get(word.len() + 1..).unwrap_or("");
        word
    }

    /// Takes the next word if it is this one.
    pub(crate) fn take(&mut self, word: &str) -> bool {
        let found = self.peek() == word;
        if found {
            self.word();
        }
        found
    }

    /// Takes a number.
    pub(crate) fn number(&mut self) -> Result<u64, Malformed> {
        let number = self.peek().parse();
        let number = number.map_err(|_| self.expected("a number"))?;
        self.word();
        Ok(number)
    }

    /// Takes a text.
    pub(crate) fn text(&mut self) -> Result<String, Malformed> {
        let Some(mut rest) = self.rest.strip_prefix('"') else {
            return Err(self.expected("a text"));
        };
        let mut text = String::new();
        loop {
            let special = rest.find(['"', '\\']);
            let special = special.ok_or_else(|| self.expected("a text with an end"))?;
            text.push_str(&rest[..special]);
            let is_quote = rest.as_bytes()[special] == b'"';
            rest = &rest[special + 1..];
            if is_quote {
                self.rest = rest.strip_prefix(' ').unwrap_or(rest);
                return Ok(text);
            }
            let escaped = rest.chars().next();
            let escaped = escaped.ok_or_else(|| self.expected("a text with an end"))?;
            rest = &rest[escaped.len_utf8()..];
            text.push(if escaped == 'n' { '\n' } else { escaped });
        }
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Wire for $number {
            fn write(&self, line: &mut Line) {
                line.number(*self as u64);
            }

            fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
                let before = words.expected("a smaller number");
                Self::try_from(words.number()?).map_err(|_| before)
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, usize);

impl Wire for bool {
    fn write(&self, line: &mut Line) {
        line.number(u64::from(*self));
    }

    fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
        match words.peek() {
            "0" | "1" => Ok(words.word() == "1"),
            _ => Err(words.expected("0 or 1")),
        }
    }
}

impl Wire for String {
    fn write(&self, line: &mut Line) {
        line.text(self);
    }

    fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
        words.text()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, line: &mut Line) {
        match self {
            None => line.word("-"),
            Some(value) => {
                line.word("+");
                value.write(line);
            }
        }
    }

    fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
        match words.peek() {
            "-" => {
                words.word();
                Ok(None)
            }
            "+" => {
                words.word();
                T::read(words).map(Some)
            }
            _ => Err(words.expected("+ or -")),
        }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn write(&self, line: &mut Line) {
        line.word("[");
        self.iter().for_each(|value| value.write(line));
        line.word("]");
    }

    fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
        if !words.take("[") {
            return Err(words.expected("a list"));
        }
        let mut values = Self::new();
        while !words.take("]") {
            values.push(T::read(words)?);
        }
        Ok(values)
    }
}

impl<T: Wire, const N: usize> Wire for [T; N] {
    fn write(&self, line: &mut Line) {
        self.iter().for_each(|value| value.write(line));
    }

    fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
        let values: Vec<T> = (0..N).map(|_| T::read(words)).collect::<Result<_, _>>()?;
        values.try_into().map_err(|_| words.expected("more values"))
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn write(&self, line: &mut Line) {
        self.0.write(line);
        self.1.write(line);
    }

    fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
        Ok((A::read(words)?, B::read(words)?))
    }
}

impl<A: Wire, B: Wire, C: Wire> Wire for (A, B, C) {
    fn write(&self, line: &mut Line) {
        self.0.write(line);
        self.1.write(line);
        self.2.write(line);
    }

    fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
        Ok((A::read(words)?, B::read(words)?, C::read(words)?))
    }
}

impl<T: Wire> Wire for Box<T> {
    fn write(&self, line: &mut Line) {
        T::write(self, line);
    }

    fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
        T::read(words).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crosses<T: Wire + PartialEq + fmt::Debug>(value: T, expected: &str) {
        let line = write(&value);
        assert_eq!(line, expected);
        assert_eq!(read::<T>(&line).unwrap(), value);
    }

    #[test]
    fn values_are_words() {
        crosses(0_u8, "0 ");
        crosses(u64::MAX, "18446744073709551615 ");
        crosses(vec![true, false], "[ 1 0 ] ");
        crosses(vec![Vec::<u8>::new(), vec![7]], "[ [ ] [ 7 ] ] ");
        crosses((Some(7_u16), None::<u16>, [1_u32, 2]), "+ 7 - 1 2 ");
    }

    #[test]
    fn a_text_is_on_one_line_whatever_is_in_it() {
        crosses(String::new(), "\"\" ");
        crosses("two\nlines".to_owned(), "\"two\\nlines\" ");
        crosses(
            "a \"b\" \\n \\ ]".to_owned(),
            "\"a \\\"b\\\" \\\\n \\\\ ]\" ",
        );
        crosses("ä\r\t\u{2028} ".to_owned(), "\"ä\r\t\u{2028} \" ");
    }

    #[test]
    fn what_is_no_value_is_an_error_that_says_where() {
        let error = |line: &str| read::<Vec<(u8, String)>>(line).unwrap_err().to_string();
        assert_eq!(error(""), "expected a list at byte 0");
        assert_eq!(
            error("[ 1 \"a\" 256 \"b\" ]"),
            "expected a smaller number at byte 8"
        );
        assert_eq!(error("[ -1 \"a\" ]"), "expected a number at byte 2");
        assert_eq!(error("[ 1 \"a"), "expected a text with an end at byte 4");
        assert_eq!(error("[ 1 \"a\\"), "expected a text with an end at byte 4");
        assert_eq!(error("[ 1 \"a\" ] 2"), "expected the end at byte 10");
    }
}
