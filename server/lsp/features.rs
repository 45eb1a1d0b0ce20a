//! The capabilities of the client, from its `initialize`.

use serde_json::Value;
use tower_lsp::ls_types::{InitializeParams, MarkupKind, ResourceOperationKind, WorkspaceClientCapabilities};

use crate::base::position::PositionEncoding;

/// The capabilities of the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClientFeatures {
    /// The unit of its positions.
    pub encoding: PositionEncoding,
    /// It is a wherefore plugin: it shows calls and hunks itself.
    pub hunks: bool,
    /// It asks the person itself (`wherefore/ask`).
    pub asks: bool,
    /// It saves documents when asked to (`wherefore/save`).
    pub save: bool,
    /// It notifies itself which document the person looks at (`wherefore/didFocus`); its opening of documents has no
    /// such meaning.
    pub focus: bool,
    /// It shows the output of commands while they run (`wherefore/command`).
    pub commands: bool,
    /// It shows the events of the built-in agent (`wherefore/agentEvent`).
    pub agent: bool,
    /// It answers with the diagnostics of its language servers (`wherefore/diagnostics`).
    pub diagnostics: bool,
    /// It takes `workspace/applyEdit`.
    pub apply_edit: bool,
    /// Such edits may name the version that they are for.
    pub document_changes: bool,
    /// Such edits may make files.
    pub create: bool,
    /// Such edits may rename files.
    pub rename: bool,
    /// Such edits may ask the person before they are applied.
    pub annotations: bool,
    /// The server may begin progress of its own.
    pub progress: bool,
    /// It takes `window/showDocument`.
    pub show_document: bool,
    /// It answers `workspace/configuration`.
    pub configuration: bool,
    /// It wants to be asked for `workspace/didChangeConfiguration`.
    pub register_configuration: bool,
    /// Its hovers may be Markdown.
    pub markdown: bool,
    /// Its code lenses can be refreshed.
    pub lens_refresh: bool,
    /// It takes documents from the server (`workspace/textDocumentContent`).
    pub content: bool,
}

/// The member for the 3.18 capability that the types of 3.17 lack.
pub(crate) const CONTENT: &str = "wherefore/textDocumentContent";

impl ClientFeatures {
    /// Reads the client's capabilities.
    pub(crate) fn of(params: &InitializeParams) -> Self {
        let client = &params.capabilities;
        let none = WorkspaceClientCapabilities::default();
        let workspace = client.workspace.as_ref().unwrap_or(&none);
        let edit = workspace.workspace_edit.as_ref();
        let window = client.window.as_ref();
        let hover = client.text_document.as_ref().and_then(|document| document.hover.as_ref());
        let formats = hover.and_then(|hover| hover.content_format.as_ref());
        let offered = client.general.as_ref().and_then(|general| general.position_encodings.as_ref());
        let offered = offered.into_iter().flatten().map(|encoding| encoding.as_str());
        let experimental = |pointer: &str| {
            let value = client.experimental.as_ref().and_then(|experimental| experimental.pointer(pointer));
            value.and_then(Value::as_bool).unwrap_or(false)
        };
        let operates = |wanted: ResourceOperationKind| {
            let kinds = edit.and_then(|edit| edit.resource_operations.as_ref());
            kinds.is_some_and(|kinds| kinds.contains(&wanted))
        };
        let configuration = workspace.did_change_configuration.as_ref();
        Self {
            encoding: PositionEncoding::negotiate(offered),
            hunks: experimental("/wherefore/hunks"),
            asks: experimental("/wherefore/asks"),
            save: experimental("/wherefore/save"),
            focus: experimental("/wherefore/focus"),
            commands: experimental("/wherefore/commands"),
            agent: experimental("/wherefore/agent"),
            diagnostics: experimental("/wherefore/diagnostics"),
            apply_edit: workspace.apply_edit.unwrap_or(false),
            document_changes: edit.and_then(|edit| edit.document_changes).unwrap_or(false),
            create: operates(ResourceOperationKind::Create),
            rename: operates(ResourceOperationKind::Rename),
            annotations: edit.is_some_and(|edit| edit.change_annotation_support.is_some()),
            progress: window.and_then(|window| window.work_done_progress).unwrap_or(false),
            show_document: window
                .and_then(|window| window.show_document.as_ref())
                .is_some_and(|show| show.support),
            configuration: workspace.configuration.unwrap_or(false),
            register_configuration: configuration
                .and_then(|configuration| configuration.dynamic_registration)
                .unwrap_or(false),
            markdown: formats.is_some_and(|formats| formats.contains(&MarkupKind::Markdown)),
            lens_refresh: workspace.code_lens.as_ref().and_then(|lens| lens.refresh_support).unwrap_or(false),
            content: client
                .experimental
                .as_ref()
                .is_some_and(|experimental| experimental.get(CONTENT).is_some()),
        }
    }
}
