"""Random walks over the repositories against a model of plain lists."""

from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings

from random_examples import examples
from recuerdo.adapters.local import LocalDatabase, LocalHistory, LocalThreads
from recuerdo.adapters.sqlite import SqliteDatabase, SqliteHistory, SqliteThreads
from recuerdo.testing import HistoryMachine


class LocalMachine(HistoryMachine):
    @asynccontextmanager
    async def open(self):
        database = LocalDatabase()
        yield LocalHistory(database), LocalThreads(database)


class SqliteMachine(HistoryMachine):
    @asynccontextmanager
    async def open(self):
        with TemporaryDirectory() as folder:
            async with SqliteDatabase.open(Path(folder, "recuerdo.db")) as database:
                yield SqliteHistory(database), SqliteThreads(database)


TestLocalMachine = LocalMachine.TestCase
TestLocalMachine.settings = settings(TestLocalMachine.settings, max_examples=examples(25))
TestSqliteMachine = SqliteMachine.TestCase
TestSqliteMachine.settings = settings(TestSqliteMachine.settings, max_examples=examples(10))
