"""What the offline model says: an acknowledgement of what was stated, an answer to what was asked, or a courtesy."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from recuerdo.agents.offline.clauses import clause, enumeration, quoted, sentence
from recuerdo.agents.offline.conversation import Knowledge, OfflinePrompt, remaining
from recuerdo.agents.offline.questions import Question, content_words, questions, statements
from recuerdo.agents.offline.quotes import Quote, find, first_found, quote
from recuerdo.agents.offline.words import fold
from recuerdo.core.memories import Attribute, Fact
from recuerdo.memories.extract import listen
from recuerdo.memories.locales.offline_language import OfflineLanguage, Topic

_MANY: tuple[Attribute, ...] = ("language", "family", "pet", "likes", "dislikes", "preference", "plan", "remember")
_STAND_INS: dict[Attribute, Attribute] = {"job": "employer", "city": "country"}
"""Who asks what they work as is helped by where they work, when nothing else is known, and so on."""

_TASTES: tuple[Attribute, ...] = ("likes", "dislikes")
"""Words can't tell a liking from its opposite, so that no quote stands in for these."""

_PROFILE: tuple[Attribute, ...] = (
    "name",
    "employer",
    "job",
    "department",
    "team",
    "city",
    "country",
    "language",
    "email",
    "phone",
    "birthday",
    "family",
    "pet",
    "likes",
    "dislikes",
    "preference",
    "plan",
    "remember",
)
_MOST_IN_RECAP = 5
_LONGEST_COURTESY = 6


def answer(conversation: OfflinePrompt) -> str:
    """The reply, in the user's language. Only what the conversation holds is repeated, and nothing in it is obeyed."""
    hear = cache(listen)  # every turn is asked for twice
    locale, conversation = conversation.locale(), remaining(conversation, hear)
    return _AnswerContext(conversation, locale, Knowledge(conversation, hear)).reply()


class _AnswerContext(NamedTuple):
    conversation: OfflinePrompt
    locale: OfflineLanguage
    knowledge: Knowledge

    def reply(self) -> str:
        said = [*self._acknowledgement(), *self._answers()]
        return " ".join(dict.fromkeys(said)) or self._courtesy()

    def _acknowledgement(self) -> Iterator[str]:
        facts = self.knowledge.stated
        name = next((fact.value for fact in reversed(facts) if fact.attribute == "name"), None)
        if name:
            yield self.locale.phrases.meet.format(name=name)
        yield from self._understood([fact for fact in facts if fact.attribute != "name"], named=bool(name))

    def _understood(self, facts: list[Fact], *, named: bool) -> Iterator[str]:
        phrases, remembers = self.locale.phrases, self.conversation.memories is not None
        clauses = [said for fact in facts if (said := clause(fact, self.locale))]
        quotes = [quoted(fact) for fact in facts if not clause(fact, self.locale)]
        if clauses:
            template = phrases.will_remember if remembers else phrases.understood
            joint = f" {phrases.conjunction} {phrases.that} " if remembers else f" {phrases.conjunction} "
            yield template.format(clauses=joint.join(dict.fromkeys(clauses)))
        if quotes:
            yield (phrases.will_note if remembers else phrases.noted).format(quotes=", ".join(dict.fromkeys(quotes)))
        if named and remembers and not facts:
            yield phrases.will_remember_name
        if any(denial.attribute is None for denial in self.knowledge.denied):
            yield phrases.forgotten if remembers else phrases.forgotten_here
        elif self.knowledge.denied and not self.knowledge.stated:
            yield phrases.taken_back

    def _answers(self) -> Iterator[str]:
        for question in questions(self.conversation.message, self.locale):
            if (question.is_request and self.knowledge.denied) or (question.tells and self.knowledge.stated):
                continue  # `forget my name` and `can you remember that I ...` ask nothing
            if question.topics:
                yield from (self._about(topic, question) for topic in question.topics)
            elif not (self._is_courtesy(question.text) or self._is_understood(question)):
                yield self._open(question)

    def _is_understood(self, question: Question) -> bool:
        """`Please remember that ...` and `... , you know?` are answered by the acknowledgement."""
        is_empty = not content_words(question.text, self.locale)
        return bool(self.knowledge.stated) and (question.is_request or is_empty)

    def _about(self, topic: Topic, question: Question) -> str:
        special: dict[Topic, Callable[[], str]] = {
            "identity": lambda: self.locale.phrases.identity,
            "everything": self._everything,
            "recap": self._recap,
        }
        if topic in special:
            return special[topic]()
        return self._attribute(topic, question)  # pyright: ignore[reportArgumentType]

    def _attribute(self, attribute: Attribute, question: Question) -> str:
        facts = self._facts(attribute) or self._facts(_STAND_INS.get(attribute, attribute))
        if facts:
            return self._tell(facts)
        misleads = attribute in _TASTES or self.knowledge.is_taken_back(attribute)
        passage = None if misleads else find(self.conversation, question.text, self.locale)
        if passage:
            return self._quote(passage)
        return self.locale.phrases.not_told.format(wonder=self.locale.wonders[attribute])

    def _facts(self, attribute: Attribute) -> list[Fact]:
        if attribute in _MANY:
            return self.knowledge.all(attribute)
        latest = self.knowledge.latest(attribute)
        return [latest] if latest else []

    def _tell(self, facts: list[Fact]) -> str:
        clauses = [said for fact in facts if (said := clause(fact, self.locale))]
        quotes = [quoted(fact) for fact in facts if not clause(fact, self.locale)]
        told = [sentence(enumeration(clauses, self.locale.phrases.conjunction))] if clauses else []
        if quotes:
            told.append(self.locale.phrases.you_said.format(quotes=", ".join(dict.fromkeys(quotes))))
        return " ".join(told)

    def _everything(self) -> str:
        facts = [fact for attribute in _PROFILE for fact in self._facts(attribute)]
        known = [clause(fact, self.locale) or quoted(fact) for fact in facts]
        known += [quote(memory.text) for memory in self.conversation.memories or () if not memory.attribute]
        if not known:
            return self.locale.phrases.nothing_known
        return self.locale.phrases.everything.format(clauses="; ".join(dict.fromkeys(known)))

    def _recap(self) -> str:
        said = [text for turn in self.conversation.said_by_user() for text in statements(turn, self.locale)]
        said = [text for text in said if not self._is_courtesy(text)][-_MOST_IN_RECAP:]
        if not said:
            return self.locale.phrases.nothing_said
        return self.locale.phrases.you_said.format(quotes=", ".join(quote(text) for text in said))

    def _open(self, question: Question) -> str:
        passage = find(self.conversation, question.text, self.locale) or first_found(self.conversation, self.locale)
        if passage:
            return self._quote(passage)
        return self.locale.phrases.unable if question.is_request else self.locale.phrases.unknown

    def _quote(self, passage: Quote) -> str:
        phrases = self.locale.phrases
        templates = {"user": phrases.you_said, "assistant": phrases.i_said, "document": phrases.document_says}
        return templates[passage.origin].format(quotes=quote(passage.text))

    def _is_courtesy(self, text: str) -> bool:
        return self._courtesy_for(fold(text)) is not None

    def _courtesy(self) -> str:
        """What to say when nothing was stated and nothing asked."""
        folded = fold(self.conversation.message)
        return self._courtesy_for(folded) or (self.locale.phrases.heard if folded else self.locale.phrases.unknown)

    def _courtesy_for(self, folded: str) -> str | None:
        if folded.count(" ") >= _LONGEST_COURTESY:
            return None
        if self.locale.thanks.match(folded):
            return self.locale.phrases.thanks
        if self.locale.farewells.match(folded):
            return self.locale.phrases.farewell
        return self._greeting() if self.locale.greetings.match(folded) else None

    def _greeting(self) -> str:
        name = self.knowledge.latest("name")
        phrases = self.locale.phrases
        return phrases.greet_by_name.format(name=name.value) if name else phrases.greet
