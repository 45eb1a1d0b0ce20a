//! The work that machines with a shared store save each other.

use std::time::Instant;

use futures::future::join_all;

use super::server::{Server, say};
use super::*;

const TEXTS: [&str; 5] = ["one", "two", "three", "four", "five"];
/// In addition to the texts, each machine embeds one to check that its model is that of the others.
const PROBE: usize = 1;

#[tokio::test]
async fn a_team_embeds_a_text_once() {
    let Some(server) = Server::start().await else { return };
    let url = server.database("team").await;
    let folders: Vec<_> = (0..4).map(|_| tempfile::tempdir().unwrap()).collect();
    let model = Model::new(64, "");

    let first = machine(&model, folders[0].path(), &url);
    fill(&first, &TEXTS).await;
    assert_eq!((model.asked(), first.trouble()), (PROBE + 5, None));
    let second = machine(&model, folders[1].path(), &url);
    fill(&second, &TEXTS).await;
    assert_eq!((model.asked(), second.trouble()), (PROBE, None));
    let found = cosines(&second, "one", &TEXTS).await;
    assert!(found[0] > 0.999, "{found:?}");
    for (here, there) in found.iter().zip(cosines(&first, "one", &TEXTS).await) {
        assert!((here - there).abs() < 1e-3, "{here} {there}");
    }

    // A text that is changed on one machine is embedded there, and no other one.
    model.asked();
    let changed = ["one", "two, changed here", "three", "four", "five"];
    fill(&second, &changed).await;
    assert_eq!(model.asked(), 1);
    assert!(cosines(&second, "two, changed here", &changed).await[1] > 0.999);
    model.asked();
    fill(&first, &TEXTS).await;
    assert_eq!(model.asked(), 0);

    // The vectors from the team are in the machine's own file.
    let alone = TextSimilarity::new(
        model.clone(),
        Some(Arc::new(VectorFile::new(folders[1].path(), model.identity()))),
        Duration::from_secs(10),
    );
    fill(&Arc::new(alone), &changed).await;
    assert_eq!(model.asked(), 0);

    // Another length under the same name: both stay.
    let longer = Model::new(96, "");
    let other = machine(&longer, folders[2].path(), &url);
    fill(&other, &TEXTS).await;
    assert_eq!((longer.asked(), other.trouble()), (PROBE + 5, None));
    assert!(cosines(&other, "two", &TEXTS).await[1] > 0.999);
    let third = machine(&model, folders[3].path(), &url);
    fill(&third, &TEXTS).await;
    assert_eq!((model.asked(), third.trouble()), (PROBE, None));
    // The first machine's model becomes the longer one: the first request shows it, and the team has the vectors.
    let became = machine(&longer, folders[0].path(), &url);
    longer.asked();
    fill(&became, &TEXTS).await;
    assert_eq!(became.cosines("two", &TEXTS.map(text_key)).await, None);
    became.wait_forgotten().await;
    fill(&became, &TEXTS).await;
    assert!(cosines(&became, "two", &TEXTS).await[1] > 0.999);
    assert_eq!(longer.asked(), 1 + PROBE);
}

#[tokio::test]
async fn another_model_under_the_same_name_is_not_mixed_in() {
    let Some(server) = Server::start().await else { return };
    let url = server.database("team").await;
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    fill(&machine(&Model::new(64, ""), folders[0].path(), &url), &TEXTS).await;
    let model = Model::new(64, "another");
    let other = machine(&model, folders[1].path(), &url);
    fill(&other, &["one", "six"]).await;
    assert_eq!(model.asked(), PROBE + 2);
    assert!(other.trouble().unwrap().contains("another model than the one here"));
    assert!(cosines(&other, "one", &["one", "six"]).await[0] > 0.999);
    let count = "SELECT count(*) FROM wherefore.vectors";
    let count: i64 = server.admin("team").await.query_one(count, &[]).await.unwrap().get(0);
    assert_eq!(count, 6, "nothing of it was put there");
}

#[tokio::test]
async fn a_server_that_stops_is_done_without_and_gets_what_it_missed() {
    let Some(mut server) = Server::start().await else { return };
    let url = server.database("team").await;
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let model = Model::new(64, "");
    let first = machine(&model, folders[0].path(), &url);
    fill(&first, &TEXTS[..2]).await;
    assert_eq!((model.asked(), first.trouble()), (PROBE + 2, None));

    server.stop();
    fill(&first, &TEXTS).await;
    assert_eq!(model.asked(), 3, "what is missing is made here");
    assert!(first.trouble().unwrap().contains("the team's vectors at 127.0.0.1"), "{:?}", first.trouble());
    assert!(cosines(&first, "four", &TEXTS).await[3] > 0.999);

    server.go().await;
    let client = server.admin("team").await;
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let count = "SELECT count(*) FROM wherefore.vectors";
        let count: i64 = client.query_one(count, &[]).await.unwrap().get(0);
        if count == 6 {
            break;
        }
        assert!(Instant::now() < until, "what was made meanwhile is put there: {count} of 6");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    while first.trouble().is_some() {
        assert!(Instant::now() < until, "{:?}", first.trouble());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    model.asked();
    fill(&machine(&model, folders[1].path(), &url), &TEXTS).await;
    assert_eq!(model.asked(), PROBE);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_vectors_come_back_as_they_were_whoever_puts_them() {
    const COUNT: usize = 10_000;
    let Some(server) = Server::start().await else { return };
    let url = server.database("team").await;
    let model = Model::new(384, "");
    let record = |n: usize| {
        (text_key(&n.to_string()), QuantisedVector::from_floats(&model.vector(&n.to_string())).unwrap())
    };
    let records: Vec<Record> = (0..COUNT).map(record).collect();
    let keys: Arc<[Key]> = records.iter().map(|(key, _)| *key).collect();
    let team = || {
        let store = PostgresStore::at_url("URL", Some(&url), "m")
            .map(|store| Arc::new(store) as Arc<dyn VectorStore>);
        Arc::new(SharedStore::new(store, model.clone(), Duration::from_secs(60)))
    };

    let since = Instant::now();
    team().put(records.clone().into()).await.unwrap();
    let put = since.elapsed();
    let since = Instant::now();
    let found = team().get(keys.clone(), None).await.unwrap();
    let get = since.elapsed();
    say(&format!("{COUNT} vectors of 384 numbers: put in {put:?}, got in {get:?}"));
    assert_eq!(found.len(), COUNT);
    for (key, vector) in &records {
        let (put, got) = (vector.to_wide(), &found[key]);
        assert_eq!(vector.numbers(), got.numbers());
        assert!((put.cosine(got.numbers(), got.scale()) - 1.0).abs() < 1e-3);
    }

    // Several at the same time, from an empty database on, in different orders.
    let url = server.database("crowd").await;
    let crowd = (0..4).map(|n| {
        let mut own = records[..2_000].to_vec();
        own.rotate_left(n * 500);
        let store = PostgresStore::at_url("URL", Some(&url), "m").unwrap();
        tokio::spawn(async move {
            for part in own.chunks(100) {
                store.put(part.into()).await.unwrap();
            }
            store.inspect().await.unwrap()
        })
    });
    for said in join_all(crowd.collect::<Vec<_>>()).await {
        assert!(said.unwrap().ends_with("/crowd: 2000 vectors of m"));
    }
}
