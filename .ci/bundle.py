"""Packs a folder as an .mcpb, so that the same content makes the same bytes: bundle.py FOLDER FILE."""

import pathlib
import sys
import zipfile

folder, target = map(pathlib.Path, sys.argv[1:])
with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        entry = zipfile.ZipInfo(str(path.relative_to(folder)))
        entry.compress_type = zipfile.ZIP_DEFLATED
        is_program = path.parent.name == "server"
        entry.external_attr = (0o100755 if is_program else 0o100644) << 16
        bundle.writestr(entry, path.read_bytes())
