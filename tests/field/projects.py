"""The small projects that the commands of the field suite run in. Each is a git repository with everything committed that its
.gitignore leaves. What a project needs and the machine lacks is named by `Missing`."""

import json
import os
import shutil
import subprocess
import textwrap
from pathlib import Path


class Missing(Exception):
    """A program or a package that a project needs."""


def need(*programs, path):
    for program in programs:
        if not shutil.which(program, path=path):
            raise Missing(f"{program} is not there")


class Project:
    """A project that is being made: its folder, and the variables of the person's shell."""

    def __init__(self, box, env):
        self.box, self.env, self.at = Path(box), env, Path(box) / "p"
        self.at.mkdir(parents=True)

    def need(self, *programs):
        need(*programs, path=self.env["PATH"])

    def write(self, files):
        for name, text in files.items():
            path = self.at / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text).lstrip("\n"))
            if text.lstrip().startswith("#!"):
                path.chmod(0o755)

    def run(self, line, timeout=600):
        ran = subprocess.run(["bash", "-c", line], cwd=self.at, env=self.env, capture_output=True, text=True, timeout=timeout)
        if ran.returncode:
            raise Missing(f"`{line.strip()[:80]}` failed: {(ran.stderr or ran.stdout).strip()[-200:]}")
        return ran.stdout

    def json(self, name, change):
        path = self.at / name
        value = json.loads(path.read_text()) if path.exists() else {}
        change(value)
        path.write_text(json.dumps(value, indent=2) + "\n")

    def commit(self, *forced):
        self.run("git init -q -b main . && git add -A")
        for name in forced:
            self.run(f"git add -f {name}")
        self.run("git commit -qm 'Start the project'")

    def certificates(self):
        self.need("openssl")
        self.run(
            "mkdir -p tests && openssl req -x509 -nodes -newkey rsa:2048 -days 3650 -subj /CN=localhost "
            "-addext subjectAltName=DNS:localhost -keyout tests/key.pem -out tests/cert.pem"
        )


def npm(at, *packages):
    at.need("npm")
    at.run("npm init -y >/dev/null")
    if packages:
        at.run("npm i --no-audit --no-fund -D " + " ".join(packages))


def scripts(at, **named):
    at.json("package.json", lambda package: package.update(scripts=named))


def vite(at):
    npm(at, "vite@6", "vitest@3", "@vitest/coverage-v8@3", "typescript@5", "eslint@9", "@eslint/js@9", "typescript-eslint@8",
        "prettier@3", "stylelint@16", "stylelint-config-standard@38")
    at.json("package.json", lambda package: package.update(name="shop", type="module"))
    scripts(at, build="tsc --noEmit && vite build", test="vitest run", lint="eslint .", format="prettier --write .",
            typecheck="tsc --noEmit", dev="vite --port 5199 --strictPort")
    at.write({
        ".gitignore": "node_modules\ndist\ncoverage\n.env\n.env.local\n",
        ".prettierignore": "src/ugly.ts\ndist\ncoverage\npackage-lock.json\n",
        ".env.example": "VITE_NAME=shop\n",
        "index.html": '<!doctype html>\n<html>\n  <body>\n    <script type="module" src="/src/main.ts"></script>\n  </body>\n</html>\n',
        "vite.config.ts": 'import { defineConfig } from "vitest/config";\n\nexport default defineConfig({ test: { include: ["tests/**/*.test.ts"] } });\n',
        "tsconfig.json": '{ "compilerOptions": { "strict": true, "target": "ES2022", "module": "ESNext", "moduleResolution": "bundler", "noEmit": true, "types": ["vite/client"], "skipLibCheck": true }, "include": ["src"] }\n',
        "eslint.config.js": 'import js from "@eslint/js";\nimport ts from "typescript-eslint";\n\nexport default [\n  { ignores: ["dist", "coverage"] },\n  js.configs.recommended,\n  ...ts.configs.recommended,\n];\n',
        ".stylelintrc.json": '{ "extends": "stylelint-config-standard" }\n',
        "src/main.ts": 'import { total } from "./cart";\nimport "./style.css";\n\ndocument.body.append(String(total([1, 2])), String(import.meta.env.VITE_NAME));\n',
        "src/cart.ts": "export function total(prices: number[]): number {\n  return prices.reduce((a, b) => a + b, 0);\n}\n",
        "src/ugly.ts": "export   const ugly = { a:1,\n b : 2 }\n",
        "src/style.css": "body {\n  color: #333;\n}\n",
        "tests/cart.test.ts": 'import { expect, test } from "vitest";\nimport { total } from "../src/cart";\n\ntest("total", () => {\n  expect(total([1, 2, 3])).toBe(6);\n});\n',
    })
    at.run("node_modules/.bin/prettier --write . >/dev/null")
    at.commit()


def jest(at):
    npm(at, "jest@29")
    scripts(at, test="jest", build="node scripts/build.js", **{"test:node": "node --test spec/"})
    at.certificates()
    at.write({
        ".gitignore": "node_modules\ndist/\ncoverage\n",
        "src/index.js": "exports.slug = (text) => text.toLowerCase().trim().replace(/[^a-z0-9]+/g, '-');\n",
        "__tests__/slug.test.js": "const { slug } = require('../src');\n\ntest('slug', () => {\n  expect(slug('A b')).toBe('a-b');\n});\ntest('picture', () => {\n  expect(slug('Some Words')).toMatchSnapshot();\n});\n",
        "__tests__/__snapshots__/slug.test.js.snap": "// Jest Snapshot v1, https://goo.gl/fbAQLP\n\nexports[`picture 1`] = `\"old-words\"`;\n",
        "__tests__/certificate.test.js": "const { readFileSync } = require('fs');\nconst { X509Certificate } = require('crypto');\n\ntest('certificate', () => {\n  expect(new X509Certificate(readFileSync('tests/cert.pem')).subject).toBe('CN=localhost');\n});\n",
        "spec/slug.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { slug } = require('../src');\n\ntest('slug', () => assert.equal(slug('A b'), 'a-b'));\n",
        "scripts/build.js": "const fs = require('fs');\nfs.mkdirSync('dist', { recursive: true });\nfs.writeFileSync('dist/index.js', fs.readFileSync('src/index.js', 'utf8') + '// built\\n');\n",
        "dist/index.js": "// an older build\n",
    })
    at.commit("dist/index.js")


def mono(at):
    npm(at)
    at.json("package.json", lambda package: package.update(workspaces=["packages/*"]))
    scripts(at, test="npm test --workspaces", build="npm run build --workspaces --if-present")
    at.write({
        ".gitignore": "node_modules\ndist\n",
        "packages/core/package.json": '{ "name": "@mono/core", "version": "1.0.0", "main": "index.js", "scripts": { "test": "node --test", "build": "mkdir -p dist && cp index.js dist/" } }\n',
        "packages/core/index.js": "exports.twice = (n) => n * 2;\n",
        "packages/core/core.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { twice } = require('./index.js');\n\ntest('twice', () => assert.equal(twice(2), 4));\n",
        "packages/app/package.json": '{ "name": "@mono/app", "version": "1.0.0", "bin": { "mono-app": "app.js" }, "dependencies": { "@mono/core": "*" }, "scripts": { "test": "node --test" } }\n',
        "packages/app/app.js": "#!/usr/bin/env node\nconsole.log(require('@mono/core').twice(21));\n",
        "packages/app/app.test.js": "const test = require('node:test');\n\ntest('core is found', () => require('@mono/core'));\n",
    })
    at.run("npm i --no-audit --no-fund")
    at.commit()


def next_project(at):
    npm(at, "next@14", "react@18", "react-dom@18")
    scripts(at, build="next build")
    at.write({
        ".gitignore": "node_modules\n.next\n",
        "pages/index.jsx": "export default function Home() {\n  return <p>hello</p>;\n}\n",
        "pages/api/hello.js": "export default function hello(request, response) {\n  response.status(200).json({ hello: true });\n}\n",
    })
    at.commit()


def yarn(at):
    at.need("npm", "yarn")
    at.write({
        ".gitignore": "node_modules\n.yarn/cache\n.yarn/install-state.gz\ndist\n",
        ".yarnrc.yml": "nodeLinker: node-modules\nyarnPath: .yarn/releases/yarn-4.cjs\nenableGlobalCache: false\nenableTelemetry: false\n",
        "package.json": '{ "name": "whole", "private": true, "workspaces": ["packages/*"], "scripts": { "test": "node --test packages/a", "build": "mkdir -p dist && cp packages/a/index.js dist/" } }\n',
        "packages/a/package.json": '{ "name": "a", "version": "1.0.0", "main": "index.js" }\n',
        "packages/a/index.js": "exports.one = 1;\n",
        "packages/a/index.test.js": "const test = require('node:test');\n\ntest('one', () => require('node:assert').equal(require('./index.js').one, 1));\n",
    })
    at.run("mkdir -p .yarn/releases tmp && npm i --prefix tmp --no-audit --no-fund @yarnpkg/cli-dist@4 && "
           "cp tmp/node_modules/@yarnpkg/cli-dist/bin/yarn.js .yarn/releases/yarn-4.cjs && rm -rf tmp")
    at.run("yarn add -D typescript@5")
    at.commit()


def pnpm(at):
    at.need("pnpm")
    at.write({
        ".gitignore": "node_modules\ndist\n",
        "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
        "package.json": '{ "name": "whole", "private": true, "scripts": { "build": "tsc" } }\n',
        "tsconfig.json": '{ "compilerOptions": { "outDir": "dist", "module": "commonjs", "types": [] }, "include": ["src"] }\n',
        "src/n.ts": "export const n: number = 1;\n",
        "packages/lib/package.json": '{ "name": "lib", "version": "1.0.0" }\n',
    })
    at.run("pnpm add -w -D typescript@5")
    at.commit()


def py(at):
    at.need("python3")
    at.write({
        ".gitignore": ".venv/\n.env\n__pycache__/\n*.egg-info/\n.pytest_cache/\n.mypy_cache/\n.ruff_cache/\n.coverage\ndb.sqlite3\n",
        "pyproject.toml": """
            [build-system]
            requires = ["setuptools"]
            build-backend = "setuptools.build_meta"
            [project]
            name = "billing"
            version = "0.1"
            [tool.setuptools]
            package-dir = { "" = "src" }
            packages = ["billing"]
            [tool.pytest.ini_options]
            testpaths = ["tests"]
            [tool.mypy]
            files = ["src"]
            """,
        "src/billing/__init__.py": "",
        "src/billing/__main__.py": "import sys\n\nfrom billing.core import total\n\nprint(total([int(word) for word in sys.argv[1:]]))\n",
        "src/billing/core.py": "def total(prices: list[int]) -> int:\n    return sum(prices)\n",
        "tests/test_core.py": "import pytest\n\nfrom billing.core import total\n\n\n@pytest.mark.parametrize('prices, expected', [([], 0), ([1, 2], 3)])\ndef test_total(prices, expected):\n    assert total(prices) == expected\n",
        "tests/test_machine.py": """
            import http.server
            import multiprocessing
            import sqlite3
            import subprocess
            import sys
            import threading

            import httpx


            def double(n):
                return n * 2


            def test_server():
                server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
                threading.Thread(target=server.serve_forever, daemon=True).start()
                assert httpx.get(f"http://127.0.0.1:{server.server_port}/").status_code == 200
                server.shutdown()


            def test_subprocess():
                assert subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True).stdout == b"1\\n"


            def test_sqlite(tmp_path):
                with sqlite3.connect(tmp_path / "x.db") as db:
                    db.execute("create table t (n)")


            def test_processes():
                with multiprocessing.Pool(2) as pool:
                    assert pool.map(double, [1, 2]) == [2, 4]
            """,
        "checks/test_https.py": "import ssl\nfrom pathlib import Path\n\nimport httpx\n\n\ndef test_client():\n    httpx.Client()\n\n\ndef test_template_and_certificate():\n    assert 'PORT' in Path('.env.example').read_text()\n    ssl.create_default_context(cafile='tests/cert.pem')\n",
        "ugly.py": "import os\nx = {  'a':1 }\n",
        ".env.example": "PORT=8000\n",
        ".env": "PORT=8001\n",
        "web/manage.py": "import os\nimport sys\n\nfrom django.core.management import execute_from_command_line\n\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'site_settings')\nexecute_from_command_line(sys.argv)\n",
        "web/site_settings.py": "SECRET_KEY = 'for tests'\nINSTALLED_APPS = ['notes']\nDATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': 'db.sqlite3'}}\nDEFAULT_AUTO_FIELD = 'django.db.models.BigAutoField'\nUSE_TZ = True\n",
        "web/notes/__init__.py": "",
        "web/notes/models.py": "from django.db import models\n\n\nclass Note(models.Model):\n    text = models.CharField(max_length=100)\n",
        "web/notes/tests.py": "from django.test import TestCase\n\nfrom notes.models import Note\n\n\nclass NoteTest(TestCase):\n    def test_saved(self):\n        Note.objects.create(text='x')\n",
    })
    at.certificates()
    at.run("python3 -m venv .venv && .venv/bin/pip install -q pytest pytest-xdist pytest-cov httpx django ruff mypy black setuptools wheel")
    at.run(".venv/bin/pip install -q --no-build-isolation -e .")
    at.run("cd web && ../.venv/bin/python manage.py makemigrations notes >/dev/null")
    at.commit()


def uv(at):
    at.need("uv")
    at.write({
        ".gitignore": ".venv/\n__pycache__/\n",
        "pyproject.toml": '[project]\nname = "app"\nversion = "0.1"\nrequires-python = ">=3.9"\ndependencies = ["idna"]\n[dependency-groups]\ndev = ["pytest"]\n[tool.uv]\npackage = false\n',
        "app.py": "import idna\n\nprint(idna.encode('ä.example').decode())\n",
        "test_app.py": "def test_idna():\n    import idna\n\n    assert idna.decode('xn--4ca.example')\n",
    })
    at.run("uv sync -q")
    at.commit()


def cargo(at):
    at.need("cargo")
    at.write({
        ".gitignore": "target/\n",
        # Else rustfmt looks for its settings in the folders around, which the sandbox does not show.
        ".rustfmt.toml": 'edition = "2021"\n',
        "Cargo.toml": '[workspace]\nmembers = ["core", "cli"]\nresolver = "2"\n',
        "core/Cargo.toml": '[package]\nname = "core-lib"\nversion = "0.1.0"\nedition = "2021"\nbuild = "build.rs"\n[dependencies]\nitoa = "1"\n',
        "core/build.rs": 'fn main() {\n    println!("cargo:rustc-env=BUILT=yes");\n}\n',
        "core/src/lib.rs": '/// Adds.\n///\n/// ```\n/// assert_eq!(core_lib::add(1, 2), 3);\n/// ```\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n\npub fn shown(n: u32) -> String {\n    itoa::Buffer::new().format(n).to_owned()\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(2, 2), 4);\n        assert_eq!(env!("BUILT"), "yes");\n    }\n\n    #[test]\n    fn writes_to_the_temporary_folder() {\n        std::fs::write(std::env::temp_dir().join("core-lib"), shown(1)).unwrap();\n    }\n}\n',
        "cli/Cargo.toml": '[package]\nname = "cli"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ncore-lib = { path = "../core" }\n',
        "cli/src/main.rs": 'fn main() {\n    let n: u32 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);\n    println!("{}", core_lib::add(n, 1));\n}\n',
        "cli/tests/program.rs": '#[test]\nfn it_adds() {\n    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_cli")).arg("1").output().unwrap();\n    assert_eq!(ran.stdout, b"2\\n");\n}\n',
    })
    at.run("cargo fmt && cargo fetch -q")
    at.commit()


def go(at):
    at.need("go")
    at.write({
        ".gitignore": "bin/\n",
        "go.mod": "module example.com/words\n\ngo 1.19\n",
        "main.go": 'package main\n\nimport (\n\t"fmt"\n\t"os"\n\n\t"example.com/words/count"\n)\n\n//go:generate echo generated\n\nfunc main() {\n\tfmt.Println(count.Words(os.Args[1:]))\n}\n',
        "count/count.go": "package count\n\nfunc Words(words []string) int {\n\treturn len(words)\n}\n",
        "count/count_test.go": 'package count\n\nimport (\n\t"net/http"\n\t"net/http/httptest"\n\t"os"\n\t"path/filepath"\n\t"testing"\n)\n\nfunc TestServer(t *testing.T) {\n\tserver := httptest.NewServer(http.NotFoundHandler())\n\tdefer server.Close()\n\tif answer, err := http.Get(server.URL); err != nil || answer.StatusCode != 404 {\n\t\tt.Fatal(err)\n\t}\n}\n\nfunc TestFolder(t *testing.T) {\n\tif err := os.WriteFile(filepath.Join(t.TempDir(), "x"), nil, 0o600); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n',
        "ugly.go": "package main\n\nvar   ugly   =  1\n",
    })
    at.run("go build ./...")
    at.commit()


def c(at):
    at.need("gcc", "make")
    at.write({
        ".gitignore": "build/\n*.o\nhello\n",
        "Makefile": "CFLAGS = -Wall\n\nhello: main.o greet.o\n\t$(CC) -o $@ $^\n\n%.o: %.c greet.h\n\t$(CC) $(CFLAGS) -c -o $@ $<\n\ntest: hello\n\t./hello | grep -q hello\n\nclean:\n\trm -f *.o hello\n\ninstall: hello\n\tinstall -D hello $(DESTDIR)/usr/bin/hello\n\n.PHONY: test clean install\n",
        "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(hello C)\nadd_executable(hello main.c greet.c)\nenable_testing()\nadd_test(NAME hello COMMAND hello)\n",
        "main.c": '#include "greet.h"\n\nint main(void) {\n    greet();\n    return 0;\n}\n',
        "greet.c": '#include <stdio.h>\n\n#include "greet.h"\n\nvoid greet(void) { puts("hello"); }\n',
        "greet.h": "void greet(void);\n",
        "leak.c": "#include <stdlib.h>\n\nint main(void) {\n    char *text = malloc(10);\n    text[0] = 1;\n    free(text);\n    return text == 0;\n}\n",
    })
    at.commit()
