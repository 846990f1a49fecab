//! JSON as text: objects of strings, numbers and lists, whose keys keep their order.
//!
//! Knows nothing of what is said in it.

/// A JSON object in the making.
pub(super) struct Object(String);

impl Object {
    /// Returns an object without keys.
    pub fn new() -> Object {
        Object("{".to_owned())
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0 += &quoted(key);
        self.0.push(':');
    }

    /// Adds a text.
    pub fn string(&mut self, key: &str, value: &str) {
        self.key(key);
        self.0 += &quoted(value);
    }

    /// Adds a number.
    pub fn number(&mut self, key: &str, value: impl ToString) {
        self.key(key);
        self.0 += &value.to_string();
    }

    /// Adds a share of games.
    pub fn share(&mut self, key: &str, share: f64) {
        self.number(key, format_args!("{share:.4}"));
    }

    /// Adds that something is true.
    pub fn flag(&mut self, key: &str) {
        self.key(key);
        self.0 += "true";
    }

    /// Adds an object.
    pub fn object(&mut self, key: &str, value: Object) {
        self.key(key);
        self.0 += &value.finish();
    }

    /// Adds a list of texts.
    pub fn strings(&mut self, key: &str, values: &[String]) {
        self.key(key);
        let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
        self.0 += &format!("[{}]", values.join(","));
    }

    /// Adds a list of objects.
    pub fn objects(&mut self, key: &str, values: impl Iterator<Item = Object>) {
        self.key(key);
        let values: Vec<String> = values.map(Object::finish).collect();
        self.0 += &format!("[{}]", values.join(","));
    }

    /// Returns the text of the object.
    pub fn finish(self) -> String {
        self.0 + "}"
    }
}

/// Returns the text as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("invariant: every text can be written as JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_json() {
        let mut object = Object::new();
        object.string("a", "x");
        object.number("b", -1);
        object.strings("c", &[]);
        object.strings("d", &["y".to_owned(), "z".to_owned()]);
        let text = "{\"a\":\"x\",\"b\":-1,\"c\":[],\"d\":[\"y\",\"z\"]}";
        assert_eq!(object.finish(), text);
        let mut list = Object::new();
        let number = |n| {
            let mut object = Object::new();
            object.number("n", n);
            object
        };
        list.objects("list", [1, 2].map(number).into_iter());
        assert_eq!(list.finish(), "{\"list\":[{\"n\":1},{\"n\":2}]}");
    }
}
