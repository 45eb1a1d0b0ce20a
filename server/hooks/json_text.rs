//! The text of a JSON object or list, taken apart so that a member can be changed and the rest stays byte for byte.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A member of an object or item of a list, with its exact text.
#[derive(Clone, Debug)]
struct JsonItem<'a> {
    /// The name of a member, as a program reads it.
    name: Option<String>,
    /// The space before it.
    lead: Cow<'a, str>,
    /// The name as it is written, up to the value.
    key: Cow<'a, str>,
    value: Cow<'a, str>,
    /// The space up to the comma behind it.
    trail: &'a str,
}

/// The parts of a JSON object or list.
#[derive(Clone, Debug)]
pub(super) struct JsonText<'a> {
    brackets: [char; 2],
    items: Vec<JsonItem<'a>>,
    /// The space before the closing bracket.
    close: Cow<'a, str>,
}

impl<'a> JsonText<'a> {
    /// The parts of an object or list.
    ///
    /// # Errors
    /// It is not JSON, or another value.
    pub(super) fn parse(text: &'a str) -> serde_json::Result<Self> {
        let MemberValues(values) = serde_json::from_str(text)?;
        let text = text.trim();
        let end = text.len() - 1;
        let mut at = 1;
        let mut items: Vec<JsonItem<'a>> = Vec::with_capacity(values.len());
        for (name, value) in values {
            let value = value.get();
            let start = value.as_ptr() as usize - text.as_ptr() as usize;
            let mut before = &text[at..start];
            if let Some(last) = items.last_mut() {
                let (trail, rest) = before.split_once(',').unwrap_or(("", before));
                last.trail = trail;
                before = rest;
            }
            let (lead, key) = before.split_at(before.len() - before.trim_start().len());
            items.push(JsonItem { name, lead: lead.into(), key: key.into(), value: value.into(), trail: "" });
            at = start + value.len();
        }
        let brackets = if text.starts_with('{') { ['{', '}'] } else { ['[', ']'] };
        Ok(Self { brackets, items, close: text[at..end].into() })
    }

    /// A list of values on lines of their own behind `item_lead`; on one line where `item_lead` has no line end.
    pub(super) fn of_values(values: Vec<Cow<'a, str>>, lead: &str, close: &str) -> Self {
        let mut list = Self { brackets: ['[', ']'], items: Vec::new(), close: "".into() };
        if !values.is_empty() && lead.contains('\n') {
            list.close = close.to_owned().into();
        }
        for value in values {
            let lead = if list.items.is_empty() || lead.contains('\n') { lead } else { " " };
            let lead = lead.to_owned().into();
            list.items.push(JsonItem { name: None, lead, key: "".into(), value, trail: "" });
        }
        list
    }

    /// The number of members or items.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// The text of each value.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.items.iter().map(|item| &*item.value)
    }

    /// The text of a member's value; of two of one name the last, as programs read it.
    pub(super) fn member_value(&self, name: &str) -> Option<&str> {
        self.member_index(name).map(|at| &*self.items[at].value)
    }

    /// The space before an item; that of the last item if there are fewer, none if there are none.
    pub(super) fn item_lead(&self, at: usize) -> Option<&str> {
        self.items.get(at).or(self.items.last()).map(|item| &*item.lead)
    }

    /// Sets the value of an item.
    pub(super) fn set_item(&mut self, at: usize, value: impl Into<Cow<'a, str>>) {
        if let Some(item) = self.items.get_mut(at) {
            item.value = value.into();
        }
    }

    /// Sets a member's value; a new member is inserted in the order of names.
    pub(super) fn set_member(&mut self, name: &str, value: impl Into<Cow<'a, str>>) {
        if let Some(at) = self.member_index(name) {
            return self.set_item(at, value);
        }
        let names = |item: &JsonItem<'_>| item.name.as_deref().is_some_and(|other| other > name);
        let at = self.items.iter().position(names).unwrap_or(self.items.len());
        let colon = self.items.first().and_then(|item| item.key.rsplit_once('"')).map_or(": ", |key| key.1);
        let key = format!("\"{name}\"{colon}");
        self.insert_at(at, Some(name), key.into(), value.into(), None);
    }

    /// Inserts an item into a list; `item_lead` is the space before it if the list has no items, and `close` the space
    /// before the bracket then.
    pub(super) fn insert_item(&mut self, at: usize, value: String, [lead, close]: [&str; 2]) {
        if self.items.is_empty() && lead.contains('\n') {
            self.close = close.to_owned().into();
        }
        self.insert_at(at, None, "".into(), value.into(), Some(lead));
    }

    /// Removes the members of a name.
    pub(super) fn remove_member(&mut self, name: &str) {
        while let Some(at) = self.member_index(name) {
            self.remove_item(at);
        }
    }

    /// Removes an item.
    pub(super) fn remove_item(&mut self, at: usize) {
        let removed = self.items.remove(at);
        // The first one of a text on one line has no space before it.
        if let (0, Some(first)) = (at, self.items.first_mut()) {
            first.lead = removed.lead;
        }
        if self.items.is_empty() {
            self.close = "".into();
        }
    }

    fn insert_at(
        &mut self,
        at: usize,
        name: Option<&str>,
        key: Cow<'a, str>,
        value: Cow<'a, str>,
        alone: Option<&str>,
    ) {
        let first = self.items.first().map(|item| item.lead.clone());
        let next = match (self.items.get(1), &first) {
            (Some(second), _) => second.lead.clone(),
            (None, Some(first)) if first.contains('\n') => first.clone(),
            _ => " ".into(),
        };
        let lead = match (at, first) {
            (_, None) => alone.unwrap_or_default().to_owned().into(),
            (0, Some(first)) => {
                self.items[0].lead = next;
                first
            }
            _ => next,
        };
        self.items.insert(at, JsonItem { name: name.map(str::to_owned), lead, key, value, trail: "" });
    }

    fn member_index(&self, name: &str) -> Option<usize> {
        self.items.iter().rposition(|item| item.name.as_deref() == Some(name))
    }
}

impl fmt::Display for JsonText<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [open, shut] = self.brackets;
        write!(formatter, "{open}")?;
        for (at, JsonItem { lead, key, value, trail, .. }) in self.items.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(formatter, "{comma}{lead}{key}{value}")?;
            // The space behind the last one is that before the bracket.
            if at + 1 < self.items.len() {
                formatter.write_str(trail)?;
            }
        }
        write!(formatter, "{}{shut}", self.close)
    }
}

/// The values of an object or list in the text, with their names.
struct MemberValues<'a>(Vec<(Option<String>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for MemberValues<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = MemberValues<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object or a list")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                let mut values = Vec::new();
                while let Some((name, value)) = members.next_entry()? {
                    values.push((Some(name), value));
                }
                Ok(MemberValues(values))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = items.next_element()? {
                    values.push((None, value));
                }
                Ok(MemberValues(values))
            }
        }
        deserializer.deserialize_any(Visit)
    }
}

#[cfg(test)]
mod tests {
    use super::JsonText;

    #[test]
    fn what_is_not_changed_stays_as_it_is_written() {
        for text in [
            "{}",
            "[ ]",
            "{\"a\":1e-05 ,\n\t\"b\" : [1,2]\r\n}",
            "[12345678901234567890123, \"\\u00e9\\ud83d\", {\"a\": 1} ]",
        ] {
            assert_eq!(JsonText::parse(text).unwrap().to_string(), text);
        }
        assert!(JsonText::parse("1").is_err());
        assert!(JsonText::parse("{\"a\": }").is_err());
    }

    #[test]
    fn members_are_set_removed_and_inserted_in_the_layout_that_is_there() {
        let mut lines = JsonText::parse("{\n  \"a\": 1,\n  \"c\": 3\n}").unwrap();
        lines.set_member("b", "2");
        lines.set_member("c", "4");
        assert_eq!(lines.to_string(), "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 4\n}");
        lines.remove_member("c");
        lines.remove_member("a");
        assert_eq!(lines.to_string(), "{\n  \"b\": 2\n}");
        let mut one_line = JsonText::parse("{\"b\": 1, \"c\": 2}").unwrap();
        one_line.set_member("a", "0");
        assert_eq!(one_line.to_string(), "{\"a\": 0, \"b\": 1, \"c\": 2}");
        one_line.remove_member("a");
        assert_eq!(one_line.to_string(), "{\"b\": 1, \"c\": 2}");
        let mut list = JsonText::parse("[1]").unwrap();
        list.insert_item(1, "2".into(), ["", ""]);
        list.insert_item(0, "0".into(), ["", ""]);
        assert_eq!(list.to_string(), "[0, 1, 2]");
        let mut empty = JsonText::parse("[]").unwrap();
        empty.insert_item(0, "1".into(), ["\n  ", "\n"]);
        assert_eq!(empty.to_string(), "[\n  1\n]");
        empty.remove_item(0);
        assert_eq!(empty.to_string(), "[]");
    }
}
