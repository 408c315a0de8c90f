"""How much searches find in conversations that no weight was chosen on."""

from statistics import mean

import pytest
from benchmarks.recall import DEPTHS, found_by, plain_bm25, search, store
from spoken import conversations

from recuerdo import Recuerdo

TEN = DEPTHS.index(10)


@pytest.mark.parametrize("language", ["es", "pt"])
async def test_the_recipe_finds_ten_points_more_than_bm25(tmp_path, language):
    """Of the evidence, the best 10 hold at least 10 points more than plain BM25's, in Spanish and in Portuguese."""
    talks = conversations(language)
    assert sum(len(talk.questions) for talk in talks) >= 150
    async with Recuerdo.open(f"sqlite:///{tmp_path}/recuerdo.db", spool=str(tmp_path / "spool")) as memory:
        for talk in talks:
            await store(memory, talk)
        ours = [each.found[TEN] for talk in talks for each in found_by(talk, await search(memory, talk))]
    floor = [each.found[TEN] for talk in talks for each in found_by(talk, plain_bm25(talk))]
    print(f"{language}: {100 * mean(ours):.1f} % @10, plain BM25 {100 * mean(floor):.1f} %")
    assert mean(ours) >= mean(floor) + 0.10
