//! The errors of models that make vectors, and of their settings.
#![expect(missing_docs, reason = "the message of a variant says what it is, and names its fields")]

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use reqwest::StatusCode;

use crate::http;

/// An error of another library, of which only the text and the sources are of use.
pub(super) type Cause = Arc<dyn Error + Send + Sync>;

/// The reason why a model makes no vectors. Later callers of the model get the error too, so it can be cloned.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EmbedError {
    /// The settings name no usable model.
    #[error("embeddings: {0}")]
    Settings(#[from] SettingsError),
    /// The environment variable of the key is not set.
    #[error("embeddings: the environment variable {variable} is not set")]
    NoKey { variable: String },
    /// No header can hold the key.
    #[error("embeddings: what {variable} holds cannot be sent in a header")]
    BadKey { variable: String },
    /// The HTTP client cannot be set up.
    #[error("embeddings: {}", http::failure_reason(.0))]
    Client(#[source] Arc<reqwest::Error>),
    /// An endpoint did not answer with vectors.
    #[error("the embeddings of {model} at {place}: {source}")]
    Endpoint { model: String, place: String, source: EndpointError },
    /// A model's folder lacks a file.
    #[error("embeddings: {folder} has no {file}")]
    NoFile { folder: String, file: &'static str },
    /// A model's folder does not hold what it should.
    #[error("embeddings: the model in {folder}: {source}")]
    Folder { folder: String, source: FolderError },
    /// The folder holds a BERT, which this build cannot run.
    #[error("embeddings: {folder} holds a BERT, and this build of wherefore runs none")]
    NoEncoder { folder: String },
    /// This build carries no model.
    #[error("embeddings: this build of wherefore carries no model")]
    NotBuiltIn,
    /// The model's vectors are of no use, or it did not make them.
    #[error("the embeddings of {model}: {source}")]
    Model { model: String, source: VectorModelError },
}

/// The errors in the settings of a model, as a clause.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error("it names no `model`")]
    NoModel,
    #[error("it names no `url`")]
    NoUrl,
    #[error("it names no `url` and no `folder`, and is not `built_in`")]
    NoPlace,
    #[error("it names more than one of `url`, `folder` and `built_in`")]
    SeveralPlaces,
    #[error("its `key_env` is no name of an environment variable")]
    KeyVariable,
    #[error("its `url` is neither http nor https, as http://127.0.0.1:11434/v1")]
    NotHttp,
    #[error(
        "its `url` is plain http to {host}, so that others could read the texts and the key on the way: name an https \
         one, or one on this machine"
    )]
    PlainHttp { host: String },
    #[error(
        "its `url` holds a password: put the key into an environment variable and name that as `key_env`"
    )]
    PasswordInUrl,
    #[error("its `folder` begins with ~, and HOME is not set")]
    NoHome,
    #[error("its `folder` is no absolute path, as ~/models/potion-base-8M")]
    RelativeFolder,
    #[error("its `wait_ms` is at most {most}")]
    LongWait { most: u64 },
    #[error(
        "its `store.postgres_env` is no name of an environment variable: the URL stands in that variable, not here"
    )]
    StoreVariable,
    #[error("its `store.model` is empty")]
    StoreModel,
}

/// The errors of a request to an endpoint, as a clause.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EndpointError {
    /// No whole answer came. `said` is the reason, without the key.
    #[error("{said}")]
    Request { said: String, source: Arc<reqwest::Error> },
    /// The endpoint refused. `said` is empty if it may quote the key.
    #[error("it answers {status}{}{said}", if said.is_empty() { "" } else { ": " })]
    Status { status: StatusCode, said: String },
    #[error("its answer has more than {most} bytes")]
    LargeAnswer { most: usize },
    #[error(transparent)]
    Answer(#[from] AnswerError),
    #[error("it answers vectors of {one} and of {other} numbers")]
    Lengths { one: usize, other: usize },
    #[error("it was not asked")]
    NotAsked,
}

/// The errors in an endpoint's answer, as a clause.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("its answer holds no `data` with an `embedding` of numbers each")]
    NoData,
    #[error("its answer is no JSON, or a number in it is too large")]
    NoJson,
    #[error("it answers {vectors} vectors to {texts} texts")]
    Count { vectors: usize, texts: usize },
    #[error("it answers two vectors to one text")]
    Twice,
    #[error("it answers an empty vector")]
    Empty,
    #[error("it answers a vector of more than {most} numbers")]
    Long { most: usize },
    #[error("it answers a vector with a number that is none")]
    NotFinite,
    #[error("it answers a vector of nothing but zeros")]
    Zeros,
}

/// The errors in the files of a model, as a clause.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FolderError {
    #[error("{file} cannot be read: {source}")]
    Read { file: String, source: Arc<io::Error> },
    #[error("{file} is no file")]
    NoFile { file: String },
    #[error("{file} is larger than {} MB", most >> 20)]
    Large { file: String, most: u64 },
    #[error("{0}")]
    Malformed(String),
}

/// The errors in a model's vectors, as a clause.
#[derive(Clone, Debug, thiserror::Error)]
pub enum VectorModelError {
    #[error("a vector has no direction")]
    NoDirection,
    #[error("its weights make a vector that has no direction")]
    WeightsWithoutDirection,
    #[error("its vectors change their length")]
    Unsteady,
    #[error("its vectors have {now} numbers, and had {before}")]
    OtherLength { now: usize, before: usize },
    #[error("no answer to a request within {0:?}")]
    Late(Duration),
    #[error("it was given up")]
    GivenUp,
    #[error("its thread ended: {0}")]
    Thread(#[source] Cause),
    #[error("{0}")]
    Encode(String),
}

impl EmbedError {
    /// Returns advice for the person.
    pub(super) fn advice(&self) -> Option<String> {
        let advice = match self {
            Self::Settings(_) => "mend [embeddings] in the person's config.toml",
            Self::NoKey { variable } => {
                return Some(format!(
                    "set {variable} to the key where wherefore is started, or take key_env out"
                ));
            }
            Self::BadKey { variable } => return Some(format!("set {variable} to the key alone")),
            Self::Endpoint { source, .. } => return source.advice().map(str::to_owned),
            Self::NoFile { .. } => {
                "name the folder of a model2vec or BERT model as embeddings.folder: config.json, tokenizer.json and \
                 model.safetensors"
            }
            Self::Folder { .. } => {
                "fetch the model's files again, or name another folder as embeddings.folder"
            }
            Self::NoEncoder { .. } => {
                "build wherefore with `--features encoder`, name the folder of a model2vec model, or as `url` a server \
                 that runs this one, as Ollama"
            }
            Self::NotBuiltIn => {
                "build wherefore with `--features pocket-encoder`, or name a `url` or a `folder` instead of `built_in`"
            }
            Self::Client(_) | Self::Model { .. } => return None,
        };
        Some(advice.to_owned())
    }
}

impl EndpointError {
    fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Request { .. } => {
                Some("start that server, or take [embeddings] out of the person's config.toml")
            }
            Self::Status { status, .. } => Some(match status.as_u16() {
                401 | 403 => "set the key in the environment variable that embeddings.key_env names",
                404 => "look whether embeddings.url is right and the model is there",
                429 => "go on without; it is asked again later",
                300..=399 => "name the URL that it redirects to as embeddings.url",
                _ => "look at the log of that server",
            }),
            _ => None,
        }
    }
}
