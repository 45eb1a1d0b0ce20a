"""Edits of the files in tests/cases/edits: the kind, the file, what fs.edit gets, and the texts that it is to replace."""


def key(address, **change):
    return {"at": {"key": address}, **change}


def heading(address, **change):
    return {"at": {"heading": address}, **change}


def cell(row, column=None, **change):
    return {"at": {"row": row} | ({"column": column} if column else {}), **change}


def symbol(address, **change):
    return {"at": {"symbol": address}, **change}


CASES = [
    ("YAML: a scalar", "compose.yaml", key("services.web.image", value="nginx:1.27"), [("nginx:1.25", "nginx:1.27")]),
    ("YAML: a scalar", "ci.yml", key("jobs.lint.timeout-minutes", value=5),
     [("  lint:\n    runs-on: ubuntu-latest\n    timeout-minutes: 20", "  lint:\n    runs-on: ubuntu-latest\n    timeout-minutes: 5")]),
    ("YAML: a scalar", "values.yaml", key("image.tag", value="1.5.0"), [('"1.4.0"', '"1.5.0"')]),
    ("YAML: a list or mapping", "compose.yaml", key("services.api.depends_on", value=["db", "cache"]), [("[db]", "[db, cache]")]),
    ("YAML: a list or mapping", "ci.yml", key("jobs.test.strategy.matrix.os", value=["ubuntu-latest"]), [("[ubuntu-latest, macos-latest]", "[ubuntu-latest]")]),
    ("YAML: a list or mapping", "values.yaml", key("resources.limits", value={"cpu": "1", "memory": "512Mi"}),
     [("        cpu: 500m\n        memory: 256Mi", '        cpu: "1"\n        memory: 512Mi')]),
    ("YAML: a new key", "compose.yaml", key("services.worker.restart", value="always"),
     [("    command: node worker.js", "    command: node worker.js\n    restart: always")]),
    ("YAML: a new key", "ci.yml", key("jobs.lint.env", value={"RUSTFLAGS": "-D warnings"}),
     [("      run: cargo clippy -- -D warnings\n", "      run: cargo clippy -- -D warnings\n    env:\n      RUSTFLAGS: -D warnings\n")]),
    ("YAML: a new key", "values.yaml", key("nodeSelector.disk", value="ssd"), [("nodeSelector: {}", "nodeSelector:\n    disk: ssd")]),
    ("YAML: a new element", "compose.yaml", key("services.api.ports[+]", value="9229:9229"),
     [('      - "3000:3000"\n', '      - "3000:3000"\n      - "9229:9229"\n')]),
    ("YAML: a new element", "ci.yml", key("jobs.lint.steps[+]", value={"name": "Docs", "run": "cargo doc"}),
     [("      run: cargo clippy -- -D warnings\n", "      run: cargo clippy -- -D warnings\n    - name: Docs\n      run: cargo doc\n")]),
    ("YAML: a new element", "values.yaml", key("ingress.hosts[+]", value={"host": "www.example.org"}),
     [("                pathType: Prefix\n", "                pathType: Prefix\n        - host: www.example.org\n")]),
    ("YAML: taken away", "compose.yaml", key("services.api.healthcheck", remove=True),
     [('    healthcheck:\n      test: ["CMD", "node", "check.js"]\n      interval: 30s\n      retries: 3\n', "")]),
    ("YAML: taken away", "ci.yml", key("jobs.test.steps[name=Cache]", remove=True), [("    - name: Cache\n      uses: Swatinem/rust-cache@v2\n", "")]),
    ("YAML: taken away", "values.yaml", key("autoscaling.maxReplicas", remove=True), [("    maxReplicas: 5\n", "")]),
    ("JSON: a value", "package.json", key("scripts.lint", value="eslint src"), [('"eslint src --max-warnings 0"', '"eslint src"')]),
    ("JSON: a value", "tsconfig.json", key("compilerOptions.lib", value=["ES2023", "DOM"]), [('"lib": ["ES2022", "DOM"]', '"lib": ["ES2023", "DOM"]')]),
    ("JSON: a value", "routes.json", key("routes[name=cart].signed", value=False), [('"/cart", "signed": true', '"/cart", "signed": false')]),
    ("JSON: a new key", "package.json", key("scripts.check", value="tsc --noEmit"),
     [('--max-warnings 0"\n', '--max-warnings 0",\n    "check": "tsc --noEmit"\n')]),
    ("JSON: a new key", "tsconfig.json", key("compilerOptions.skipLibCheck", value=True), [("\t\t},\n\t},", '\t\t},\n\t\t"skipLibCheck": true,\n\t},')]),
    ("JSON: a new key", "routes.json", key("headers.X-Content-Type-Options", value="nosniff"),
     [('"no-referrer"\n', '"no-referrer",\n        "X-Content-Type-Options": "nosniff"\n')]),
    ("JSON: taken away", "package.json", key("devDependencies.vitest", remove=True), [(',\n    "vitest": "^2.0.5"', "")]),
    ("JSON: taken away", "tsconfig.json", key("compilerOptions.strict", remove=True), [('\t\t"strict": true, // keep it so\n', "")]),
    ("JSON: taken away", "routes.json", key("routes[name=login]", remove=True),
     [(',\n        {"name": "login", "path": "/login", "signed": false, "methods": ["GET", "POST"]}', "")]),
    ("JSON: a new element", "package.json", key("browserslist[+]", value="not dead"), [('"not IE 11"]', '"not IE 11", "not dead"]')]),
    ("JSON: a new element", "tsconfig.json", key("include[+]", value="tests"), [('\t\t"vite.config.ts",\n', '\t\t"vite.config.ts",\n\t\t"tests",\n')]),
    ("JSON: a new element", "routes.json", key("routes[name=order].methods[+]", value="DELETE"),
     [('"/orders/:id", "signed": true, "methods": ["GET"]', '"/orders/:id", "signed": true, "methods": ["GET", "DELETE"]')]),
    ("TOML: a value", "Cargo.toml", key("dependencies.tokio.version", value="1.40"), [('"1.38"', '"1.40"')]),
    ("TOML: a value", "pyproject.toml", key("tool.ruff.lint.select", value=["E", "F", "I", "UP"]), [('["E", "F", "I"]', '["E", "F", "I", "UP"]')]),
    ("TOML: a value", "server.toml", key("listen.timeout", value=45), [("timeout = 30.0", "timeout = 45.0")]),
    ("TOML: a new key", "Cargo.toml", key("dependencies.tracing", value="0.1"), [('"macros"] }\n', '"macros"] }\ntracing = "0.1"\n')]),
    ("TOML: a new key", "pyproject.toml", key("project.dependencies[+]", value="rich"), [('  "typer",\n', '  "typer",\n  "rich",\n')]),
    ("TOML: a new key", "server.toml", key("database.pool.idle", value=5), [("pool.max = 10\n", "pool.max = 10\npool.idle = 5\n")]),
    ("TOML: a new table", "Cargo.toml", key("bin[+]", value={"name": "export", "path": "src/export.rs"}),
     [('path = "src/import.rs"\n', 'path = "src/import.rs"\n\n[[bin]]\nname = "export"\npath = "src/export.rs"\n')]),
    ("TOML: a new table", "pyproject.toml", key("tool.mypy", value={"strict": True}), [('testpaths = ["tests"]\n', 'testpaths = ["tests"]\n\n[tool.mypy]\nstrict = true\n')]),
    ("TOML: a new table", "server.toml", key("cache", value={"url": "redis://localhost", "ttl": 60}),
     [('url = "http://mail.internal"\nretries = 1\n', 'url = "http://mail.internal"\nretries = 1\n\n[cache]\nurl = "redis://localhost"\nttl = 60\n')]),
    ("TOML: taken away", "Cargo.toml", key("bin[name=import]", remove=True), [('[[bin]]\nname = "import"\npath = "src/import.rs"\n\n', "")]),
    ("TOML: taken away", "pyproject.toml", key("project.scripts", remove=True), [('[project.scripts]\nshop = "shop.cli:main"\n\n', "")]),
    ("TOML: taken away", "server.toml", key("log.file", remove=True), [("file = 'C:\\logs\\shop.log'\n", "")]),
    ("Markdown: a section", "README.md", heading("Usage > Environment", replace="`SHOP_LOG` sets what is logged, `SHOP_PORT` the port."),
     [("`SHOP_LOG` sets what is logged.", "`SHOP_LOG` sets what is logged, `SHOP_PORT` the port.")]),
    ("Markdown: a section", "GUIDE.md", heading("Returns", replace="A return is accepted for 60 days."),
     [("A return is accepted for 30 days.\n\n- The parcel has its label.\n- The goods are unused.", "A return is accepted for 60 days.")]),
    ("Markdown: a section", "NOTES.md", heading("Unreleased > Fixed", replace="- A price of zero is shown.\n- Names may hold a comma."),
     [("- A price of zero is shown.", "- A price of zero is shown.\n- Names may hold a comma.")]),
    ("Markdown: taken away", "README.md", heading("Development > Options", remove=True), [("### Options\n\nNone of the tests takes options.\n\n", "")]),
    ("Markdown: taken away", "GUIDE.md", heading("Questions", remove=True), [("\nQuestions\n---------\n\nWrite to the shop.\n", "")]),
    ("Markdown: taken away", "NOTES.md", heading("1.1.0 > Fixed", remove=True), [("### Fixed\n\n- The sum of an empty cart.\n\n", "")]),
    ("CSV: a cell", "prices.csv", cell("id=4", "price", replace="45.00"), [("42.00", "45.00")]),
    ("CSV: a cell", "users.csv", cell("login=dora", "role", replace="editor"), [("dora@example.org;reader", "dora@example.org;editor")]),
    ("CSV: a cell", "words.tsv", cell("key=bye", "en", replace='Bye, "friend"'), [("Goodbye", '"Bye, ""friend"""')]),
    ("CSV: a row", "prices.csv", cell("id=5", remove=True), [("5,Spoon,1.10,300\n", "")]),
    ("CSV: a row", "users.csv", cell("+", value={"login": "emil", "mail": "emil@example.org", "role": "reader", "active": True}),
     [("dora;dora@example.org;reader;true\n", "dora;dora@example.org;reader;true\nemil;emil@example.org;reader;true\n")]),
    ("CSV: a row", "words.tsv", cell("key=cart", remove=True), [("cart\tCart\tWarenkorb\n", "")]),
    ("Code: a definition", "parser.rs", symbol("Parser::rest", replace="pub fn rest(&self) -> &'t str {\n    self.text.get(self.at..).unwrap_or_default()\n}"),
     [('self.text.get(self.at..).unwrap_or("")', "self.text.get(self.at..).unwrap_or_default()")]),
    ("Code: a definition", "orders.py", symbol("load", replace="def load(path):\n    with open(path, encoding=\"utf-8\") as file:\n        return Order(**json.load(file))"),
     [("    with open(path) as file:\n        return json.load(file)", "    with open(path, encoding=\"utf-8\") as file:\n        return Order(**json.load(file))")]),
    ("Code: a definition", "store.ts", symbol("CartStore.remove", replace="remove(id: string): boolean {\n  const before = this.items.length;\n  this.items = this.items.filter((item) => item.id !== id);\n  this.save();\n  return this.items.length < before;\n}"),
     [("  remove(id: string): void {\n    this.items = this.items.filter((item) => item.id !== id);\n    this.save();\n  }",
       "  remove(id: string): boolean {\n    const before = this.items.length;\n    this.items = this.items.filter((item) => item.id !== id);\n    this.save();\n    return this.items.length < before;\n  }")]),
    ("Code: taken away", "parser.rs", symbol("Parser::rest", remove=True),
     [('\n    /// Returns what is left.\n    pub fn rest(&self) -> &\'t str {\n        self.text.get(self.at..).unwrap_or("")\n    }\n', "")]),
    ("Code: taken away", "orders.py", symbol("Order.to_json", remove=True),
     [('    def to_json(self):\n        lines = [{"name": line.name, "count": line.count} for line in self.lines]\n        return json.dumps({"lines": lines, "paid": self.paid})\n\n', "")]),
    ("Code: taken away", "store.ts", symbol("EMPTY", remove=True), [("export const EMPTY: readonly Item[] = [];\n\n", "")]),
    ("Code: a text in a definition", "parser.rs", symbol("sum", find="total += term", replace="total -= term"), [("total += term", "total -= term")]),
    ("Code: a text in a definition", "orders.py", symbol("Line.total", find="self.price * self.count", replace="round(self.price * self.count, 2)"),
     [("return self.price * self.count", "return round(self.price * self.count, 2)")]),
    ("Code: a text in a definition", "store.ts", symbol("CartStore.add", find="this.save();", replace="this.save();\n    this.log(id);"),
     [("      this.items.push({ id, count });\n    }\n    this.save();", "      this.items.push({ id, count });\n    }\n    this.save();\n    this.log(id);")]),
]
