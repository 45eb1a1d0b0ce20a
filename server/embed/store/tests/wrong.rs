//! Faulty servers: the person loses nothing by them, and gets advice.

use tokio::net::TcpListener;

use super::server::{PASSWORD, Server};
use super::*;
use crate::protocol::{Code, Fault};

/// The fault of a store at that URL, while texts get their vectors all the same.
async fn fault(url: &str) -> Fault {
    let model = Model::new(64, "");
    let folder = tempfile::tempdir().unwrap();
    let similarity = machine(&model, folder.path(), url);
    fill(&similarity, &["one", "two"]).await;
    assert!(cosines(&similarity, "one", &["one", "two"]).await[0] > 0.999);
    let store = PostgresStore::at_url("URL", Some(url), "m").unwrap();
    let error = store.inspect().await.unwrap_err();
    assert!(!format!("{error:?}").contains(PASSWORD), "{error:?}");
    let fault = Fault::from(error);
    assert_eq!(similarity.trouble().as_deref(), Some(&*fault.message));
    assert!(!format!("{fault:?} {store:?}").contains(PASSWORD), "{fault:?} {store:?}");
    fault
}

#[track_caller]
fn says(fault: &Fault, code: Code, expected: &[&str]) {
    let said = format!("{fault:?}");
    assert!(fault.code == code && expected.iter().all(|expected| said.contains(expected)), "{said}");
}

#[tokio::test]
async fn what_is_to_be_done_about_a_server_is_said() {
    let Some(server) = Server::start().await else { return };
    let admin = server.admin("postgres").await;
    let refused = fault(&server.url("postgres", "another", "postgres")).await;
    says(
        &refused,
        Code::NotAuthorized,
        &["password authentication failed", "mend the user and the password"],
    );
    let none = fault(&server.url("postgres", PASSWORD, "nowhere")).await;
    says(&none, Code::NotFound, &["\\\"nowhere\\\" does not exist"]);

    // The role may not make the tables; the statements for an administrator repair it.
    admin.batch_execute("CREATE ROLE \"a-member\" LOGIN PASSWORD 'word'").await.unwrap();
    server.database("team").await;
    let member = server.url("a-member", "word", "team");
    let may_not = fault(&member).await;
    says(&may_not, Code::NotAuthorized, &["permission denied", "CREATE EXTENSION IF NOT EXISTS vector"]);
    let run = may_not.suggestion.unwrap();
    server.admin("team").await.batch_execute(run.split_once(": ").unwrap().1).await.unwrap();
    let store = PostgresStore::at_url("URL", Some(&member), "m").unwrap();
    assert!(store.inspect().await.unwrap().ends_with("/team: 0 vectors of m"));

    // The role may only read.
    let reads = "CREATE ROLE reader LOGIN PASSWORD 'word'; GRANT USAGE ON SCHEMA wherefore TO reader; \
                 GRANT SELECT ON ALL TABLES IN SCHEMA wherefore TO reader";
    let team = server.admin("team").await;
    team.batch_execute(reads).await.unwrap();
    let reader = server.url("reader", "word", "team");
    let store = PostgresStore::at_url("URL", Some(&reader), "m").unwrap();
    assert!(store.inspect().await.unwrap().contains("may only get vectors"));
    let (model, folder) = (Model::new(64, ""), tempfile::tempdir().unwrap());
    let similarity = machine(&model, folder.path(), &reader);
    fill(&similarity, &["one"]).await;
    assert_eq!(similarity.trouble(), None);

    team.batch_execute("UPDATE wherefore.version SET version = 9").await.unwrap();
    says(&fault(&member).await, Code::Unsupported, &["version 9", "the same version of wherefore"]);

    // The extension is in a schema that is not searched by default.
    let apart = server.database("apart").await;
    let moved = "CREATE SCHEMA more; CREATE EXTENSION vector SCHEMA more";
    server.admin("apart").await.batch_execute(moved).await.unwrap();
    let store = PostgresStore::at_url("URL", Some(&apart), "m").unwrap();
    let record = (text_key("a"), QuantisedVector::from_floats(&[1.0, -2.0]).unwrap());
    store.put(Arc::new([record.clone()])).await.unwrap();
    assert_eq!(
        store.get(Arc::new([record.0]), Some(2)).await.unwrap()[&record.0].numbers(),
        record.1.numbers()
    );
    assert!(store.get(Arc::new([record.0]), Some(3)).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_server_without_the_extension_is_said() {
    let Some(server) = Server::without(&["share/postgresql/extension/vector.control"]).await else { return };
    let lacks = fault(&server.url("postgres", PASSWORD, "postgres")).await;
    says(
        &lacks,
        Code::Unsupported,
        &["extension \\\"vector\\\" is not available", "have pgvector installed"],
    );
}

#[tokio::test]
async fn a_store_that_hangs_is_waited_for_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://me:word@{}/team", listener.local_addr().unwrap());
    let model = Model::new(64, "");
    let store =
        PostgresStore::at_url("URL", Some(&url), "m").map(|store| Arc::new(store) as Arc<dyn VectorStore>);
    let team = SharedStore::new(store, model.clone(), Duration::from_millis(100));
    let similarity =
        Arc::new(TextSimilarity::new(model.clone(), Some(Arc::new(team)), Duration::from_secs(10)));
    let held = tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            held.push(stream);
        }
    });
    fill(&similarity, &["one", "two"]).await;
    assert!(similarity.trouble().unwrap().contains("did not answer within 100ms"));
    assert!(cosines(&similarity, "two", &["one", "two"]).await[1] > 0.999);
    held.abort();
}

#[tokio::test]
async fn a_store_that_is_away_or_has_no_url_is_done_without() {
    let nobody = "postgres://me:word@127.0.0.1:1/team";
    let refused = fault(nobody).await;
    says(&refused, Code::Internal, &["127.0.0.1:1/team", "refused", "look whether that server runs"]);

    let settings = VectorStoreSettings { postgres_env: "WHEREFORE_NO_SUCH".to_owned(), model: None };
    let model = Model::new(64, "");
    let embedder: Arc<dyn TextEmbedder> = model.clone();
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(&embedder, Some(folder.path()), Some(&settings));
    let similarity = Arc::new(TextSimilarity::new(embedder, store, Duration::from_secs(10)));
    fill(&similarity, &["one"]).await;
    assert!(similarity.trouble().unwrap().contains("the environment variable WHEREFORE_NO_SUCH is not set"));
    assert!(cosines(&similarity, "one", &["one"]).await[0] > 0.999);
}
