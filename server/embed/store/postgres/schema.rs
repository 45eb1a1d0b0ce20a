//! The tables of vectors: made at the first use, versioned, and what an administrator runs if the role may not.

use tokio_postgres::{Client, Error, GenericClient};

/// The version of the tables' form. Another version of this program may have made tables of another one.
const VERSION: i32 = 1;
/// The lock that processes take to make them one after the other.
const LOCK: i64 = 0x7768_6572_6566_6f72;

const SCHEMA: &str = "CREATE SCHEMA wherefore";
const TABLES: &str = "
    CREATE TABLE wherefore.version (version int NOT NULL);
    INSERT INTO wherefore.version VALUES (1);
    CREATE TABLE wherefore.models (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL,
        dimension int NOT NULL CHECK (dimension > 0),
        UNIQUE (name, dimension)
    );
    CREATE TABLE wherefore.vectors (
        model int NOT NULL REFERENCES wherefore.models,
        key bytea NOT NULL CHECK (octet_length(key) = 32),
        embedding {vector} NOT NULL,
        PRIMARY KEY (model, key)
    );
    COMMENT ON TABLE wherefore.vectors IS
        'Vectors of texts by the BLAKE3 hash of each; scaled to length one. Rows can be deleted: they are made again.';
";

/// The tables that were found or made.
#[derive(Clone, Debug)]
pub(super) struct VectorSchema {
    /// The type of a vector, with the schema that the extension is in.
    pub vector: String,
    /// True if the role may put vectors there, and not only get them.
    pub writes: bool,
}

/// The reason why the tables cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum SchemaError {
    /// The server's error.
    #[error(transparent)]
    Refused(#[from] Error),
    /// Another version made them.
    #[error("the tables are of version {0}")]
    Version(i32),
}

/// Finds the tables, and makes them if they are missing.
///
/// # Errors
/// The server's error, or that another version made them.
pub(super) async fn prepare_tables(client: &mut Client) -> Result<VectorSchema, SchemaError> {
    if !is_there(client).await? {
        make_tables(client).await?;
    }
    let version = client.query_one("SELECT max(version) FROM wherefore.version", &[]).await?;
    match version.try_get::<_, Option<i32>>(0)? {
        Some(VERSION) => {}
        other => return Err(SchemaError::Version(other.unwrap_or_default())),
    }
    let rights = client
        .query_one(
            "SELECT has_table_privilege('wherefore.vectors', 'INSERT') AND has_table_privilege('wherefore.models', 'INSERT')",
            &[],
        )
        .await?;
    let vector = vector_type(client).await?;
    Ok(VectorSchema { vector, writes: rights.try_get(0)? })
}

/// Returns whether the tables are there. The answer of `to_regclass` may be from before the lock was taken.
async fn is_there(client: &impl GenericClient) -> Result<bool, Error> {
    let found =
        "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'wherefore' AND tablename = 'version')";
    client.query_one(found, &[]).await?.try_get(0)
}

async fn make_tables(client: &mut Client) -> Result<(), Error> {
    let transaction = client.transaction().await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    // Another process may have made them since.
    if is_there(&transaction).await? {
        return transaction.commit().await;
    }
    transaction.batch_execute("CREATE EXTENSION IF NOT EXISTS vector").await?;
    let schema = transaction
        .query_one("SELECT NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'wherefore')", &[])
        .await?;
    if schema.try_get(0)? {
        transaction.batch_execute(SCHEMA).await?;
    }
    let tables = TABLES.replace("{vector}", &vector_type(&transaction).await?);
    transaction.batch_execute(&tables).await?;
    transaction.commit().await
}

/// The type of a vector, in whatever schema the extension was put into.
async fn vector_type(client: &impl GenericClient) -> Result<String, Error> {
    let found = "SELECT quote_ident(nspname) || '.vector' FROM pg_extension \
                 JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'";
    let found = client.query_opt(found, &[]).await?;
    found.map_or_else(|| Ok("vector".to_owned()), |row| row.try_get(0))
}

/// Returns the statements that an administrator runs so that the role can use the tables, and that make missing ones
/// first.
pub(in crate::store) fn grant_statements(role: &str) -> String {
    let role = format!("\"{}\"", role.replace('"', "\"\""));
    format!(
        "CREATE EXTENSION IF NOT EXISTS vector; CREATE SCHEMA IF NOT EXISTS wherefore; \
         GRANT USAGE, CREATE ON SCHEMA wherefore TO {role}; \
         GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA wherefore TO {role};"
    )
}
