"""The data that is swept with a thread's checkpoints, against a plain reading of everything that stays."""

from hypothesis import given
from hypothesis import strategies as st

from recuerdo.checkpoints.outlines import Listed, PackedCheckpoint, Shared, encode
from recuerdo.checkpoints.sweeping import doomed
from recuerdo.core.checkpoints import Segment, Span, StoredCheckpoint, Survey, SurveyedWrite

SEGMENTS = 6
ROWS = 250

Led = tuple[int, int]
"""The segment and the value that a row leads to."""

leads = st.tuples(st.integers(0, SEGMENTS - 1), st.integers(0, SEGMENTS - 1))


def outlines(led: Led) -> dict[str, Listed | Shared]:
    segment, value = led
    return {"list": Listed([Span("log", 2 * segment, 2 * segment + 1)]), "value": Shared(bytes([value]))}


def checkpoint(number: int, led: Led) -> StoredCheckpoint:
    return StoredCheckpoint("", f"{number:04}", "", "", encode(PackedCheckpoint(b"", {}, {**outlines(led)})), b"")


def write(number: int, led: Led) -> SurveyedWrite:
    return SurveyedWrite("", f"{number:04}", encode(outlines(led)["list"]))


@given(st.dictionaries(st.integers(0, ROWS - 1), leads), st.sets(st.integers(0, ROWS - 1)), leads, leads)
def test_what_goes_is_what_no_row_leads_to_that_stays(
    rare: dict[int, Led], gone: set[int], common: Led, written: Led
) -> None:
    led = [rare.get(number, common) for number in range(ROWS)]
    survey = Survey(
        checkpoints=[checkpoint(number, each) for number, each in enumerate(led)],
        writes=[write(0, written)],
        segments=[Segment("log", 2 * number, 2, b"") for number in range(SEGMENTS)],
        digests=[bytes([number]) for number in range(SEGMENTS)],
    )
    kept = {("", f"{number:04}") for number in range(ROWS) if number not in gone}
    found = doomed(survey, kept, lambda _: ())
    staying = [each for number, each in enumerate(led) if number not in gone]
    segments = {segment for segment, _ in staying} | ({written[0]} if 0 not in gone else set())
    assert {start // 2 for _, start in [*found.segments, *found.emptied]} == {*range(SEGMENTS)} - segments
    assert {digest[0] for digest in found.digests} == {*range(SEGMENTS)} - {value for _, value in staying}
    assert {int(number) for _, number in found.checkpoints} == gone
    assert [start for _, start in found.emptied] == [2 * (SEGMENTS - 1)] * (SEGMENTS - 1 not in segments)
