"""`recuerdo docs`: documents from files, through a real process."""

import asyncio
import json

from operating import ran, refused, run

from recuerdo.adapters.local.spool import FileSpool


def test_files_are_added_once_listed_and_removed(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "guia.md").write_text("# Devoluciones\n\nTiene 30 días.\n", "utf-8")
    (folder / "envios.html").write_text("<title>Envíos</title><p>Tres días.</p>", "utf-8")
    (folder / "logo.png").write_bytes(b"\x89PNG")
    add = ("docs", "add", "docs", "--embeddings", "none", "--public", "--collection", "ayuda")
    assert b"Added 2 documents; 0 had not changed." in ran(tmp_path, *add).stderr
    assert b"Added 0 documents; 2 had not changed." in ran(tmp_path, *add).stderr
    (folder / "guia.md").write_text("# Devoluciones\n\nTiene 60 días.\n", "utf-8")
    assert b"Added 1 document; 1 had not changed." in ran(tmp_path, *add).stderr
    found = json.loads(ran(tmp_path, "docs", "list", "--json").stdout)
    assert {(each["title"], each["collection"], each["access"]) for each in found} == {
        ("Devoluciones", "ayuda", "public"),
        ("Envíos", "ayuda", "public"),
    }
    assert b"Devoluciones" in ran(tmp_path, "docs", "list").stdout
    other = next(each["id"] for each in found if each["title"] == "Envíos")
    assert b"Removed 2 documents." in ran(tmp_path, "docs", "remove", "docs/guia.md", other).stderr
    assert "There is no document" in refused(tmp_path, "docs", "remove", "nothing")


def test_a_file_that_can_not_be_read_does_not_keep_the_others_out(tmp_path):
    (tmp_path / "a.md").write_text("# Bien", "utf-8")
    (tmp_path / "b.md").write_bytes(b"\xff\xfe")
    done = run(tmp_path, "docs", "add", "a.md", "b.md", "--embeddings", "none")
    assert done.returncode == 1
    assert b"Added 1 document;" in done.stderr
    assert b"UTF-8" in done.stderr
    assert "no file" in refused(tmp_path, "docs", "add", "absent.md", "--embeddings", "none")


async def test_documents_are_listed_beside_a_server_with_the_same_settings(tmp_path):
    """The server has the spool, and a model that extracts memories; the command needs neither."""
    spool = str(tmp_path / "spool")
    settings = {"RECUERDO_DURABILITY": "async", "RECUERDO_SPOOL": spool, "RECUERDO_EXTRACTION": "model"}
    async with FileSpool.open(spool, make=True):
        listed = await asyncio.to_thread(ran, tmp_path, "docs", "list", "--json", **settings)
    assert json.loads(listed.stdout) == []
