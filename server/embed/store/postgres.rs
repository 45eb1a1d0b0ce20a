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
use tokio_postgres::{Client, Error, NoTls, Statement};

use super::{Found, StoreError, VectorStore};
use crate::base::hidden::escape_hidden;
use crate::protocol::VectorStoreSettings;
use crate::quantised_vector::QuantisedVector;
use crate::vectors::{Key, Record};

pub(super) use address::AddressError;
use address::ServerAddress;
pub(super) use schema::grant_statements;
use schema::{SchemaError, VectorSchema};
pub(super) use tls::TlsError;

/// The vectors of one model in a team's Postgres server.
#[derive(Debug)]
pub struct PostgresStore {
    address: ServerAddress,
    model: String,
    /// Taken out while it is used: what is given up midway is never used again.
    connection: Mutex<Option<StoreConnection>>,
}

struct StoreConnection {
    client: Client,
    get: Statement,
    put: Statement,
    schema: VectorSchema,
    /// The lengths of vectors that the model is known there with.
    dimensions: HashSet<i32>,
}

impl std::fmt::Debug for StoreConnection {
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

impl PostgresStore {
    /// The server of these settings, for the vectors of the model with that name; nothing is sent yet.
    ///
    /// # Errors
    /// [`StoreError::NoUrl`] if the variable of the URL is not set, [`StoreError::BadUrl`] if it holds no usable one.
    pub fn new(settings: &VectorStoreSettings, model: &str) -> Result<Self, StoreError> {
        let name = &settings.postgres_env;
        let url = std::env::var(name).ok().filter(|url| !url.trim().is_empty());
        let model = settings.model.as_deref().unwrap_or(model).trim();
        Self::at_url(name, url.as_deref(), model)
    }

    /// Creates the store at a URL, which was read from the environment variable of that name.
    ///
    /// # Errors
    /// As [`PostgresStore::new`].
    pub fn at_url(name: &str, url: Option<&str>, model: &str) -> Result<Self, StoreError> {
        let variable = || escape_hidden(name).into_owned();
        let url = url.ok_or_else(|| StoreError::NoUrl { variable: variable() })?;
        let address = ServerAddress::parse_url(url)
            .map_err(|source| StoreError::BadUrl { variable: variable(), source })?;
        Ok(Self { address, model: model.to_owned(), connection: Mutex::default() })
    }

    /// Connects, makes missing tables, and returns a description of the contents.
    ///
    /// # Errors
    /// Why it cannot be used, with what is to be done.
    pub async fn inspect(&self) -> Result<String, StoreError> {
        let mut slot = self.connection.lock().await;
        let connection = self.live_connection(slot.take()).await?;
        let count =
            "SELECT count(*) FROM wherefore.vectors JOIN wherefore.models ON model = id WHERE name = $1";
        let count = connection.client.query_one(count, &[&self.model]).await;
        let count: i64 = count.and_then(|row| row.try_get(0)).map_err(|error| self.server_error(error))?;
        let writes =
            if connection.schema.writes { "" } else { "; this role may only get vectors, not put any" };
        let found =
            format!("{}: {count} vectors of {}{writes}", self.address.place, escape_hidden(&self.model));
        *slot = Some(connection);
        Ok(found)
    }

    /// Returns that connection if it is still open, else a new one.
    async fn live_connection(&self, before: Option<StoreConnection>) -> Result<StoreConnection, StoreError> {
        match before {
            Some(connection) if !connection.client.is_closed() => Ok(connection),
            _ => self.connect().await,
        }
    }

    async fn connect(&self) -> Result<StoreConnection, StoreError> {
        let ServerAddress { config, encrypted, authority, .. } = &self.address;
        // The task ends with the client.
        let mut client = if *encrypted {
            let connector = tls::tls_connector(authority.as_deref())
                .map_err(|source| StoreError::Tls { place: self.address.place.clone(), source })?;
            let (client, connection) =
                config.connect(connector).await.map_err(|error| self.server_error(error))?;
            tokio::spawn(async move { drop(connection.await) });
            client
        } else {
            let (client, connection) =
                config.connect(NoTls).await.map_err(|error| self.server_error(error))?;
            tokio::spawn(async move { drop(connection.await) });
            client
        };
        let schema = schema::prepare_tables(&mut client).await.map_err(|error| match error {
            SchemaError::Refused(error) => self.server_error(error),
            SchemaError::Version(version) => {
                StoreError::Version { place: self.address.place.clone(), version }
            }
        })?;
        let put = PUT.replace("{vector}", &schema.vector);
        let prepared = futures::try_join!(client.prepare(GET), client.prepare(&put));
        let (get, put) = prepared.map_err(|error| self.server_error(error))?;
        Ok(StoreConnection { client, get, put, schema, dimensions: HashSet::new() })
    }

    /// The error of the server, or of the way to it.
    fn server_error(&self, error: Error) -> StoreError {
        let role = self.address.config.get_user().unwrap_or("postgres");
        StoreError::from_server(&self.address.place, role, error)
    }

    async fn put_into(&self, connection: &mut StoreConnection, records: &[Record]) -> Result<(), Error> {
        let Some((_, first)) = records.first() else { return Ok(()) };
        let dimension = i32::try_from(first.numbers().len()).unwrap_or(i32::MAX);
        if connection.dimensions.insert(dimension) {
            connection.client.execute(MODEL, &[&self.model, &dimension]).await?;
        }
        // In one order everywhere: who put the same ones at the same time then never wait for each other in turn.
        let mut sorted: Vec<&Record> = records.iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| *key);
        let keys: Vec<&[u8]> = sorted.iter().map(|(key, _)| key.as_slice()).collect();
        let vectors: Vec<Vector> = sorted.iter().map(|(_, vector)| unit_vector(vector)).collect();
        let put = connection.put.clone();
        connection.client.execute(&put, &[&self.model, &dimension, &keys, &vectors]).await.map(drop)
    }
}

/// A vector of length one.
fn unit_vector(vector: &QuantisedVector) -> Vector {
    let numbers = vector.numbers().iter().map(|number| f32::from(*number) * vector.scale());
    Vector::from(numbers.collect::<Vec<f32>>())
}

impl VectorStore for PostgresStore {
    fn get(&self, keys: Arc<[Key]>, dimension: Option<usize>) -> BoxFuture<'_, Result<Found, StoreError>> {
        Box::pin(async move {
            let mut slot = self.connection.lock().await;
            let connection = self.live_connection(slot.take()).await?;
            let length = dimension.map(|dimension| i32::try_from(dimension).unwrap_or(i32::MAX));
            let keys: Vec<&[u8]> = keys.iter().map(<[u8; 32]>::as_slice).collect();
            let rows = connection.client.query(&connection.get, &[&self.model, &keys, &length]).await;
            let rows = rows.map_err(|error| self.server_error(error))?;
            *slot = Some(connection);
            drop(slot);
            let mut found = Found::with_capacity(rows.len());
            for row in rows {
                let read = (row.try_get::<_, &[u8]>(0), row.try_get::<_, Vector>(1));
                let (Ok(key), Ok(vector)) = read else { continue };
                let right = |vector: &QuantisedVector| {
                    dimension.is_none_or(|length| vector.numbers().len() == length)
                };
                // Data that was put there by other programs may be anything.
                if let (Ok(key), Some(vector)) =
                    (key.try_into(), QuantisedVector::from_floats(vector.as_slice()).filter(right))
                {
                    found.insert(key, vector);
                }
            }
            Ok(found)
        })
    }

    fn put(&self, records: Arc<[Record]>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let mut slot = self.connection.lock().await;
            let mut connection = self.live_connection(slot.take()).await?;
            if connection.schema.writes {
                self.put_into(&mut connection, &records).await.map_err(|error| self.server_error(error))?;
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
