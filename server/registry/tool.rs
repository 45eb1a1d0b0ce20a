//! A tool in the registry: its definition with its schemas compiled.

use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::Value;

use super::unfit_call::BrokenSchema;
use super::violations::{Violation, find_violations};
use crate::catalogue::{ToolDef, compile_schema};

type BuiltSchema = Result<Validator, (String, String)>;

/// A definition with its schemas, each compiled when it is first needed.
#[derive(Debug)]
pub struct CompiledTool {
    def: ToolDef,
    input: OnceLock<BuiltSchema>,
    output: OnceLock<BuiltSchema>,
}

impl CompiledTool {
    pub(super) fn new(def: ToolDef) -> Self {
        Self { def, input: OnceLock::new(), output: OnceLock::new() }
    }

    /// The definition.
    pub fn def(&self) -> &ToolDef {
        &self.def
    }

    /// The dotted name.
    pub fn name(&self) -> &str {
        &self.def.name
    }

    /// Returns all violations of the arguments; none where they are valid.
    ///
    /// # Errors
    /// Fails where the schema itself does not compile, which the loader rules out.
    pub(super) fn check_input(&self, args: &Value) -> Result<Vec<Violation>, BrokenSchema> {
        let built = self.input.get_or_init(|| compile_schema(&self.def.input_schema));
        let validator = usable_validator(built, &self.def.name, "input")?;
        if validator.is_valid(args) {
            return Ok(Vec::new());
        }
        Ok(find_violations(validator, &self.def.input_schema, args))
    }

    /// Returns the violations of an output; none where it is valid or where the definition allows anything.
    ///
    /// # Errors
    /// Fails where the schema itself does not compile, which the loader rules out.
    pub fn check_output(&self, output: &Value) -> Result<Vec<Violation>, BrokenSchema> {
        let Some(schema) = &self.def.output_schema else {
            return Ok(Vec::new());
        };
        let built = self.output.get_or_init(|| compile_schema(schema));
        let validator = usable_validator(built, &self.def.name, "output")?;
        if validator.is_valid(output) {
            return Ok(Vec::new());
        }
        Ok(find_violations(validator, schema, output))
    }
}

fn usable_validator<'a>(
    built: &'a BuiltSchema,
    tool: &str,
    which: &'static str,
) -> Result<&'a Validator, BrokenSchema> {
    built.as_ref().map_err(|(pointer, error)| BrokenSchema {
        which,
        tool: tool.to_owned(),
        pointer: pointer.clone(),
        error: error.clone(),
    })
}
