//! Vectors in Postgres with the extension pgvector: a table that everyone of a team gets from and puts into.
//!
//! A vector is kept as the extension's own type, so that a team can ask its table what is near (`<=>`). Ours are of 8-bit
//! numbers and come back as the same ones: the largest of them is always 127.

mod address;
mod schema;
mod tls;

use std::collections::HashSet;
use std::sync::Arc;

use futures::future::BoxFuture;
use pgvector::Vector;
use tokio::sync::Mutex;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error, NoTls, Statement};

use super::{Found, VectorStore};
use crate::base::hidden::shown;
use crate::http;
use crate::protocol::{Code, Fault, VectorStoreSettings};
use crate::quantised::Quantised;
use crate::vectors::{Key, Record};

use address::Address;
use schema::{Schema, Wrong};

/// The vectors of one model in a team's Postgres server.
#[derive(Debug)]
pub struct Postgres {
    address: Address,
    model: String,
    /// Taken out while it is used: what is given up midway is never used again.
    connection: Mutex<Option<Connection>>,
}

struct Connection {
    client: Client,
    get: Statement,
    put: Statement,
    schema: Schema,
    /// The lengths of vectors that the model is known there with.
    dimensions: HashSet<i32>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Connection({:?})", self.schema)
    }
}

/// Gets the vectors of some keys, of the length that is asked for, or of the one that came last.
const GET: &str = "
    SELECT key, embedding FROM wherefore.vectors WHERE key = ANY($2) AND model = (
        SELECT id FROM wherefore.models WHERE name = $1 AND ($3::int IS NULL OR dimension = $3)
        ORDER BY id DESC LIMIT 1)";
const PUT: &str = "
    INSERT INTO wherefore.vectors (model, key, embedding)
    SELECT id, of.key, of.embedding FROM wherefore.models, unnest($3::bytea[], $4::{vector}[]) AS of (key, embedding)
    WHERE name = $1 AND dimension = $2 ON CONFLICT DO NOTHING";
const MODEL: &str = "
    INSERT INTO wherefore.models (name, dimension) SELECT $1, $2
    WHERE NOT EXISTS (SELECT FROM wherefore.models WHERE name = $1 AND dimension = $2) ON CONFLICT DO NOTHING";

impl Postgres {
    /// The server of these settings, for the vectors of the model with that name; nothing is sent yet.
    ///
    /// # Errors
    /// NOT_FOUND where the variable of the URL is not set, INVALID_ARGS where it holds no usable URL.
    pub fn new(settings: &VectorStoreSettings, model: &str) -> Result<Self, Fault> {
        let name = &settings.postgres_env;
        let url = std::env::var(name).ok().filter(|url| !url.trim().is_empty());
        let model = settings.model.as_deref().unwrap_or(model).trim();
        Self::at(name, url.as_deref(), model)
    }

    /// The server at a URL, which stands in the environment variable of that name.
    ///
    /// # Errors
    /// As [`Postgres::new`].
    pub fn at(name: &str, url: Option<&str>, model: &str) -> Result<Self, Fault> {
        let name = shown(name);
        let mend = format!("set {name} to postgres://user:password@host/database where wherefore is started");
        let url = url.ok_or_else(|| {
            let what = format!("embeddings.store: the environment variable {name} is not set");
            Fault::new(Code::NotFound, what).suggest(&*mend)
        })?;
        let address = Address::read(url).map_err(|wrong| {
            let what = format!("embeddings.store: what {name} holds cannot be used: {wrong}");
            Fault::new(Code::InvalidArgs, what).suggest(&*mend)
        })?;
        Ok(Self { address, model: model.to_owned(), connection: Mutex::default() })
    }

    /// Connects, makes the tables where they are missing, and says what is there.
    ///
    /// # Errors
    /// Why it cannot be used, with what is to be done.
    pub async fn inspect(&self) -> Result<String, Fault> {
        let mut slot = self.connection.lock().await;
        let connection = self.connected(slot.take()).await?;
        let count =
            "SELECT count(*) FROM wherefore.vectors JOIN wherefore.models ON model = id WHERE name = $1";
        let count = connection.client.query_one(count, &[&self.model]).await;
        let count: i64 = count.and_then(|row| row.try_get(0)).map_err(|error| self.fault(&error))?;
        let writes =
            if connection.schema.writes { "" } else { "; this role may only get vectors, not put any" };
        let found = format!("{}: {count} vectors of {}{writes}", self.address.place, shown(&self.model));
        *slot = Some(connection);
        Ok(found)
    }

    /// That connection where it still stands, else a new one.
    async fn connected(&self, before: Option<Connection>) -> Result<Connection, Fault> {
        match before {
            Some(connection) if !connection.client.is_closed() => Ok(connection),
            _ => self.connect().await,
        }
    }

    async fn connect(&self) -> Result<Connection, Fault> {
        let Address { config, encrypted, authority, .. } = &self.address;
        // The task ends with the client.
        let mut client = if *encrypted {
            let connector = tls::connector(authority.as_deref()).map_err(|wrong| {
                Fault::new(
                    Code::InvalidArgs,
                    format!("the team's vectors at {}: {wrong}", self.address.place),
                )
            })?;
            let (client, connection) = config.connect(connector).await.map_err(|error| self.fault(&error))?;
            tokio::spawn(async move { drop(connection.await) });
            client
        } else {
            let (client, connection) = config.connect(NoTls).await.map_err(|error| self.fault(&error))?;
            tokio::spawn(async move { drop(connection.await) });
            client
        };
        let schema = schema::prepare(&mut client).await.map_err(|wrong| match wrong {
            Wrong::Refused(error) => self.fault(&error),
            Wrong::Version(version) => {
                let what =
                    format!("the tables of vectors at {} are of version {version}", self.address.place);
                Fault::new(Code::Unsupported, what).suggest("use the same version of wherefore everywhere")
            }
        })?;
        let put = PUT.replace("{vector}", &schema.vector);
        let prepared = futures::try_join!(client.prepare(GET), client.prepare(&put));
        let (get, put) = prepared.map_err(|error| self.fault(&error))?;
        Ok(Connection { client, get, put, schema, dimensions: HashSet::new() })
    }

    /// What the server or the way to it says, with what is to be done.
    fn fault(&self, error: &Error) -> Fault {
        let role = self.address.config.get_user().unwrap_or("postgres");
        let said = error
            .as_db_error()
            .map_or_else(|| http::with_sources(error.to_string(), error), |said| said.message().to_owned());
        let installs = "have pgvector installed on that server (as Debian's package postgresql-NN-pgvector)";
        let runs = || format!("have an administrator run there: {}", schema::grants(role));
        let (code, mend) = match error.code() {
            Some(state)
                if [SqlState::INVALID_PASSWORD, SqlState::INVALID_AUTHORIZATION_SPECIFICATION]
                    .contains(state) =>
            {
                (
                    Code::NotAuthorized,
                    "mend the user and the password in that environment variable".to_owned(),
                )
            }
            Some(&SqlState::INVALID_CATALOG_NAME) => {
                (Code::NotFound, "make that database, or name another one".to_owned())
            }
            // Which of them depends on the server's version.
            Some(state) if [SqlState::UNDEFINED_FILE, SqlState::FEATURE_NOT_SUPPORTED].contains(state) => {
                (Code::Unsupported, installs.to_owned())
            }
            Some(state) if [SqlState::INSUFFICIENT_PRIVILEGE, SqlState::UNDEFINED_OBJECT].contains(state) => {
                (Code::NotAuthorized, runs())
            }
            _ => (Code::Internal, "look whether that server runs and can be reached from here".to_owned()),
        };
        let said = shown(&said);
        Fault::new(code, format!("the team's vectors at {}: {said}", self.address.place)).suggest(mend)
    }

    async fn put_into(&self, connection: &mut Connection, records: &[Record]) -> Result<(), Error> {
        let Some((_, first)) = records.first() else { return Ok(()) };
        let dimension = i32::try_from(first.numbers().len()).unwrap_or(i32::MAX);
        if connection.dimensions.insert(dimension) {
            connection.client.execute(MODEL, &[&self.model, &dimension]).await?;
        }
        // In one order everywhere: who put the same ones at the same time then never wait for each other in turn.
        let mut sorted: Vec<&Record> = records.iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| *key);
        let keys: Vec<&[u8]> = sorted.iter().map(|(key, _)| key.as_slice()).collect();
        let vectors: Vec<Vector> = sorted.iter().map(|(_, vector)| widened(vector)).collect();
        let put = connection.put.clone();
        connection.client.execute(&put, &[&self.model, &dimension, &keys, &vectors]).await.map(drop)
    }
}

/// A vector of length one.
fn widened(vector: &Quantised) -> Vector {
    let numbers = vector.numbers().iter().map(|number| f32::from(*number) * vector.scale());
    Vector::from(numbers.collect::<Vec<f32>>())
}

impl VectorStore for Postgres {
    fn get(&self, keys: Arc<[Key]>, dimension: Option<usize>) -> BoxFuture<'_, Result<Found, Fault>> {
        Box::pin(async move {
            let mut slot = self.connection.lock().await;
            let connection = self.connected(slot.take()).await?;
            let length = dimension.map(|dimension| i32::try_from(dimension).unwrap_or(i32::MAX));
            let keys: Vec<&[u8]> = keys.iter().map(<[u8; 32]>::as_slice).collect();
            let rows = connection.client.query(&connection.get, &[&self.model, &keys, &length]).await;
            let rows = rows.map_err(|error| self.fault(&error))?;
            *slot = Some(connection);
            drop(slot);
            let mut found = Found::with_capacity(rows.len());
            for row in rows {
                let read = (row.try_get::<_, &[u8]>(0), row.try_get::<_, Vector>(1));
                let (Ok(key), Ok(vector)) = read else { continue };
                let right =
                    |vector: &Quantised| dimension.is_none_or(|length| vector.numbers().len() == length);
                // What somebody else put there may be anything.
                if let (Ok(key), Some(vector)) =
                    (key.try_into(), Quantised::of(vector.as_slice()).filter(right))
                {
                    found.insert(key, vector);
                }
            }
            Ok(found)
        })
    }

    fn put(&self, records: Arc<[Record]>) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            let mut slot = self.connection.lock().await;
            let mut connection = self.connected(slot.take()).await?;
            if connection.schema.writes {
                self.put_into(&mut connection, &records).await.map_err(|error| self.fault(&error))?;
            }
            *slot = Some(connection);
            Ok(())
        })
    }

    /// Others may have the model as it was: theirs stay.
    fn forget(&self, _: usize) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}
