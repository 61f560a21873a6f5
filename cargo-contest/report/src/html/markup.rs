//! Writes HTML. Text and attribute values go through one function that escapes; names of elements and attributes are
//! literals. By hand, because characters that reorder or hide text have to be shown as well, which no template engine
//! does.

use std::fmt::Write as _;

use crate::visible::acts;

/// A fragment of a page, and the elements that are open in it.
#[derive(Debug, Default)]
pub(super) struct Markup {
    out: String,
    open: Vec<&'static str>,
}

/// The name of the entry of a cause in the index.
pub(super) fn cause_id(number: usize) -> String {
    format!("cause-{number}")
}

/// Elements without content.
const VOID: [&str; 5] = ["meta", "input", "i", "br", "hr"];

impl Markup {
    /// An empty fragment.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Bytes so far.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Opens an element with these attributes; those with an empty value are left out.
    pub(super) fn open(
        &mut self,
        name: &'static str,
        attributes: &[(&'static str, &str)],
    ) -> &mut Self {
        self.tag(name, attributes);
        self.open.push(name);
        self
    }

    /// Closes the innermost element.
    pub(super) fn close(&mut self) -> &mut Self {
        if let Some(name) = self.open.pop() {
            let _ = write!(self.out, "</{name}>");
        }
        self
    }

    /// An element with text in it.
    pub(super) fn element(
        &mut self,
        name: &'static str,
        attributes: &[(&'static str, &str)],
        text: &str,
    ) -> &mut Self {
        self.open(name, attributes).text(text).close()
    }

    /// The names of the columns of a table.
    pub(super) fn columns(&mut self, names: &[&str]) -> &mut Self {
        self.open("thead", &[]).open("tr", &[]);
        for name in names {
            self.element("th", &[("scope", "col")], name);
        }
        self.close().close()
    }

    /// An element with nothing in it. `i` marks places in a drawing and is closed at once.
    pub(super) fn empty(
        &mut self,
        name: &'static str,
        attributes: &[(&'static str, &str)],
    ) -> &mut Self {
        debug_assert!(VOID.contains(&name), "{name} can have content");
        self.tag(name, attributes);
        if name == "i" {
            self.out.push_str("</i>");
        }
        self
    }

    /// An attribute without a value cannot be written with [`open`](Self::open): it would be left out.
    fn tag(&mut self, name: &'static str, attributes: &[(&'static str, &str)]) {
        let _ = write!(self.out, "<{name}");
        for (attribute, value) in attributes {
            if !value.is_empty() {
                let _ = write!(self.out, " {attribute}=\"");
                escape_into(&mut self.out, value, false);
                self.out.push('"');
            }
        }
        self.out.push('>');
    }

    /// Text. Characters that would act on the text around them are shown as escapes, set apart.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        escape_into(&mut self.out, text, true);
        self
    }

    /// Another fragment, whole.
    pub(super) fn part(&mut self, part: Self) -> &mut Self {
        debug_assert!(part.open.is_empty(), "open: {:?}", part.open);
        self.out.push_str(&part.out);
        self
    }

    /// What is not text: a script or a style sheet of ours.
    pub(super) fn raw(&mut self, ours: &str) -> &mut Self {
        self.out.push_str(ours);
        self
    }

    /// The text of the page.
    pub(super) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.out
    }
}

fn escape_into(out: &mut String, text: &str, in_text: bool) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ if acts(character) => {
                let escape = character.escape_unicode();
                let _ = match in_text {
                    true => write!(out, "<b class=\"acts\">{escape}</b>"),
                    false => write!(out, "{escape}"),
                };
            }
            _ => out.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let mut page = Markup::new();
        page.open("p", &[("title", "\" onclick=\"x"), ("class", "")])
            .text("</p><script>alert(1)</script>&amp;'\u{202e}");
        assert_eq!(
            page.finish(),
            "<p title=\"&quot; onclick=&quot;x\">&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;&#39;\
             <b class=\"acts\">\\u{202e}</b></p>"
        );
    }
}
