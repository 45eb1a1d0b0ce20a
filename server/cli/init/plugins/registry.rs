//! The entries of registries, and the manifest of the bundle for desktop programs.

use serde_json::json;

use super::package::{DESCRIPTION, KEYWORDS, LICENSE, PackageFile, VERSION};
use crate::agents::PROGRAM;

/// The owner in the name of the server, as long as Cargo.toml names no repository.
const OWNER: &str = "wherefore";
/// The page of the licence, as long as Cargo.toml names no repository.
const LICENSE_PAGE: &str = "https://spdx.org/licenses/MIT.html";

/// The files of registries: `bundle/manifest.json` of an `.mcpb`, `registry/server.json` of the registry of servers, and
/// `registry/wherefore/agent.json` of the registry of agents.
pub(super) fn registry_files() -> [PackageFile; 4] {
    let repository = env!("CARGO_PKG_REPOSITORY");
    let bundle = json!({
        "manifest_version": "0.3",
        "name": PROGRAM,
        "display_name": PROGRAM,
        "version": VERSION,
        "description": DESCRIPTION,
        "author": { "name": PROGRAM },
        "license": LICENSE,
        "keywords": KEYWORDS,
        "server": {
            "type": "binary",
            "entry_point": "server/wherefore",
            "mcp_config": {
                "command": "${__dirname}/server/wherefore",
                "args": ["mcp", "--root", "${user_config.folder}"],
            },
        },
        "tools_generated": true,
        "user_config": { "folder": {
            "type": "directory",
            "title": "Project",
            "description": "The folder that the tools work in",
            "required": true,
        } },
        "compatibility": { "platforms": ["linux"] },
    });
    let mut server = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": server_name(repository),
        "title": PROGRAM,
        "description": DESCRIPTION,
        "version": VERSION,
        "packages": [{
            "registryType": "npm",
            "identifier": PROGRAM,
            "version": VERSION,
            "runtimeHint": "npx",
            "transport": { "type": "stdio" },
            "packageArguments": [{ "type": "positional", "value": "mcp" }],
        }],
    });
    let mut agent = json!({
        "id": PROGRAM,
        "name": PROGRAM,
        "version": VERSION,
        "description": DESCRIPTION,
        "authors": [PROGRAM],
        "license": LICENSE,
        "license_url": LICENSE_PAGE,
        "distribution": { "npx": { "package": format!("{PROGRAM}@{VERSION}"), "args": ["acp"] } },
    });
    if !repository.is_empty() {
        server["repository"] = json!({ "url": repository, "source": "github" });
        agent["repository"] = json!(repository);
        agent["license_url"] = json!(format!("{repository}/blob/main/LICENSE-MIT"));
    }
    [
        PackageFile::of_json("bundle/manifest.json", &bundle),
        PackageFile::of_json("registry/server.json", &server),
        PackageFile::of_json("registry/wherefore/agent.json", &agent),
        PackageFile { path: "registry/wherefore/icon.svg".to_owned(), text: ICON.to_owned() },
    ]
}

/// The name of the server in its registry, which proves the owner by the place of the repository.
fn server_name(repository: &str) -> String {
    let owner = repository.strip_prefix("https://github.com/").and_then(|rest| rest.split('/').next());
    format!("io.github.{}/{PROGRAM}", owner.unwrap_or(OWNER))
}

/// The icon, in the one colour and the size that the registry of agents takes.
const ICON: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"16\" height=\"16\" viewBox=\"0 0 16 16\" fill=\"none\">\
<path d=\"M2 4h7M2 8h4M2 12h7M11 8l1.5 1.5L15 6\" stroke=\"currentColor\" stroke-width=\"1.5\"/></svg>\n";

#[cfg(test)]
mod tests {
    use super::server_name;

    #[test]
    fn a_server_is_named_by_the_owner_of_the_repository() {
        assert_eq!(server_name("https://github.com/someone/wherefore"), "io.github.someone/wherefore");
        assert_eq!(server_name(""), "io.github.wherefore/wherefore");
    }
}
