//! Latent calls: no code runs, the model fills `_output` by the schema it is given.

use serde_json::{Value, json};

use super::Call;

impl Call {
    /// What a latent call with no output answers: the schema to fill, and how to send it.
    pub fn latent_answer(&self) -> Value {
        let tool = self.tool.name();
        let schema = self.tool.def().output_schema.clone().unwrap_or_else(|| json!({}));
        json!({
            "_tool": tool,
            "_activity": "",
            "_output": schema,
            "instruction": format!(
                "No code runs {tool}: work out its result yourself, then call {tool} again with the same \
                 arguments and the result in `_output`, valid by the schema given here."
            ),
        })
    }
}
