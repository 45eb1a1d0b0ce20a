"""The projects of the field suite that hold no program of their own: repositories, files, servers, databases."""

import subprocess

from projects import c, cargo, go, jest, mono, next_project, pnpm, py, uv, vite, yarn

SERVER = """
    import http.server
    import sys


    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(f"you asked for {self.path}\\n".encode())

        def log_message(self, *args):
            pass


    server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print("listening", flush=True)
    server.serve_forever()
    """


def git(at):
    beside = {name: at.box / name for name in ("origin.git", "sub.git", "sub")}
    at.write({
        ".gitignore": "dist/\n.env\n*.log\n",
        "README.md": "# Work\n\nFirst line\n",
        "src/app.py": "def run():\n    return 1\n",
        "src/util.py": "def help():\n    return 2\n",
        ".env.example": "PORT=8000\n",
        ".env": "PORT=8001\n",
        "dist/bundle.js": "built\n",
    })
    at.certificates()
    at.commit("dist/bundle.js")
    lines = [
        f"git init -q --bare -b main {beside['origin.git']} && git init -q --bare -b main {beside['sub.git']}",
        f"git clone -q {beside['sub.git']} {beside['sub']} 2>/dev/null && cd {beside['sub']} && git switch -qc main; "
        f"echo sub > sub.txt && git add -A && git commit -qm Sub && git push -q origin main",
        f"git -c protocol.file.allow=always submodule --quiet add {beside['sub.git']} libs/sub && git commit -qm 'Add the submodule'",
        "for n in 1 2 3 4; do echo '# line' $n >> src/util.py; git commit -qam \"Step $n\"; done; git tag v0.1",
        "git switch -qc feature && echo more > src/more.py && git add -A && git commit -qm 'More' && echo yet >> src/more.py && git commit -qam 'Yet more'",
        "git switch -q main && git switch -qc clash && sed -i 's/First/Other/' README.md && git commit -qam 'Other line'",
        "git switch -q main && sed -i 's/First/The first/' README.md && git commit -qam 'The first line'",
        "echo x >> README.md && git commit -qam 'A last line'",
        f"git remote add origin {beside['origin.git']} && git push -q -u origin main feature",
    ]
    for line in lines:
        at.run(line)
    at.write({".git/hooks/pre-commit": "#!/bin/sh\nif git diff --cached | grep '^+' | grep -q FIX''ME; then echo 'a mark is left' >&2; exit 1; fi\npython3 -m compileall -q src\n"})


def closed(at):
    at.write({
        ".gitignore": ".env\n",
        "README.md": "# Closed\n",
        ".env.example": "PORT=8000\nNAME=app\n",
        "config/app.json": "{}\n",
        ".env": "PORT=8001\n",
        "package.json": '{ "name": "closed", "version": "1.0.0" }\n',
    })
    at.certificates()
    at.commit()
    at.run("git switch -qc topic && echo t > topic.txt && git add -A && git commit -qm Topic && git switch -q main")


def worktree(at):
    main = at.box / "main"
    at.at.rmdir()
    main.mkdir()
    lines = "git init -q -b main . && echo a > a.txt && git add -A && git commit -qm A && git worktree add -q ../p -b topic"
    subprocess.run(["bash", "-c", lines], cwd=main, env=at.env, check=True, capture_output=True)


def files(at):
    at.write({
        ".gitignore": ".env\n*.zip\n",
        "README.md": "# Files\n",
        "src/a.txt": "alpha\nbeta\ngamma\n",
        "src/b.txt": "beta\ndelta\n",
        "src/deep/er/c.txt": "alpha deep\n",
        "data/people.csv": "name,age\nada,36\nalan,41\ngrace,85\n",
        "data/conf.json": '{"port": 8080, "hosts": ["a", "b"]}\n',
        "data/log.txt": "".join(f"2026-01-{n % 28 + 1:02} {'info' if n % 3 else 'warn'} line {n}\n" for n in range(30)),
        "bin/tool.sh": "#!/bin/sh\necho tool $1\n",
        ".env.example": "PORT=1\n",
        ".env": "PORT=2\n",
    })
    at.run("ln -s src/a.txt link-to-a && ln -s ../data src/to-data")
    at.commit()


def proc(at):
    at.write({
        "server.py": SERVER,
        "server.js": "require('http').createServer((q, r) => r.end('you asked for ' + q.url + '\\n')).listen(+process.argv[2], '127.0.0.1', () => console.log('listening'));\n",
        "worker.py": "import time\n\nfor n in range(3):\n    print(n, flush=True)\n    time.sleep(0.1)\n",
        "index.html": "<p>hello</p>\n",
    })
    at.commit()


def db(at):
    at.need("sqlite3")
    at.write({
        "schema.sql": "create table users (id integer primary key, name text);\ninsert into users (name) values ('ada'), ('alan');\n",
        "query.py": "import sqlite3\n\nprint(sqlite3.connect('app.db').execute('select count(*) from users').fetchone()[0])\n",
    })
    at.run("sqlite3 app.db < schema.sql")
    at.commit()


PROJECTS = {made.__name__: made for made in
            (vite, jest, mono, yarn, pnpm, py, uv, cargo, go, c, git, closed, worktree, files, proc, db)} | {"next": next_project}
