"""The offline model and its replies: an acknowledgement of statements, an answer to a question, or a courtesy."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from datetime import date
from functools import cached_property, lru_cache, partial
from operator import itemgetter

from recuerdo.agents.offline.clauses import (
    clause,
    enumeration,
    longest,
    news,
    own_words,
    quoted_ending,
    sentence,
    shortened,
)
from recuerdo.agents.offline.conversation import (
    Hear,
    Knowledge,
    OfflinePrompt,
    PromptMessage,
    folded_words,
    has_images,
    is_beside,
    read,
    remaining,
    root,
    roots,
)
from recuerdo.agents.offline.questions import (
    Question,
    asked_of_another,
    asks,
    beyond_topic,
    content_words,
    follow_up,
    questions,
    sum_of,
    telling_sentences,
    without_greeting,
)
from recuerdo.agents.offline.quotes import Origin, Quote, day, first_found, is_over, quote
from recuerdo.agents.offline.ranking import Found, find
from recuerdo.agents.prompts import Recalled
from recuerdo.core.memories import Attribute, Fact
from recuerdo.core.messages import Message
from recuerdo.memories.extract import by_detectors, listen
from recuerdo.memories.extraction import gate
from recuerdo.memories.extraction.answer_type import PERHAPS_ASKING, expected_answer
from recuerdo.memories.extraction.lexicon import clubs, households, possessions
from recuerdo.memories.extraction.relatives import named_relative
from recuerdo.memories.forgetting import named_words, what_to_forget, without_forgotten
from recuerdo.memories.likeness import same
from recuerdo.memories.locales.joined import QUESTIONS
from recuerdo.memories.locales.offline_language import OfflineLanguage, Topic
from recuerdo.memories.slots import OPPOSITES, SINGLE_VALUED

MODEL_NAME = "offline"

_MOST_HEARD = 256
"""Messages whose facts are kept."""

_PIECE = re.compile(r"\s*\S+\s*")


class OfflineModel:
    """Answers from what the prompt holds and from nothing else: no network, no weights, and the same answer always.

    It knows the prompts of `recuerdo.agents.prompts` and repeats facts, quotes what was said, or admits that it does
    not know. It is a `recuerdo.core.ports.ChatModel`.
    """

    def __init__(self) -> None:
        self._hear = lru_cache(_MOST_HEARD)(listen)  # a window is seen again with each turn

    @property
    def name(self) -> str:
        """`offline`: people are shown that no large model speaks."""
        return MODEL_NAME

    async def stream(self, prompt: Sequence[Message]) -> AsyncGenerator[str, None]:
        """The reply, word by word."""
        for piece in await asyncio.to_thread(pieces, entries(prompt), self._hear):
            yield piece
            await asyncio.sleep(0)


def entries(prompt: Sequence[Message]) -> list[PromptMessage]:
    """The messages of a prompt, as they are parsed."""
    return [
        PromptMessage(
            message.role,
            message.text,
            message.created_at,
            not isinstance(message.content, str) and has_images(message.content),
        )
        for message in prompt
    ]


def pieces(entries: Sequence[PromptMessage], hear: Hear = listen) -> list[str]:
    """The reply to a prompt in words that are to be joined as they are."""
    return _PIECE.findall(answer(read(entries), hear))


_MANY: tuple[Attribute, ...] = (
    *("language", "studies", "health", "allergy", "diet", "family", "relative", "pet", "possession"),
    *("likes", "dislikes", "preference", "plan", "remember"),
)
_CONTACTS: tuple[Attribute, ...] = ("email", "phone")
"""Attributes of which a user may have several: all that are remembered are told."""

_STAND_INS: dict[Attribute, Attribute] = {"job": "employer", "city": "country"}
"""The attribute that answers for another one that is unknown: the employer for the job, and so on. Where people live
tells nothing of where they come from."""

_ADDRESS = re.compile(rf"\b(?:{QUESTIONS.address})\b")
_NOT_QUOTED: tuple[Attribute, ...] = ("likes", "dislikes", "age")
"""Words can't tell a liking from its opposite, nor an age from how long something lasts, so that no quote stands in."""

_OWN: frozenset[Attribute] = frozenset((*SINGLE_VALUED, "health", "allergy", "diet")) - {"marital_status", "team"}
"""Attributes of which the detectors hear most: what else is near tells a wish, or something of another person.

Of couples that parted, and of the club that is cheered for, it tells enough.
"""

_PROFILE: tuple[Attribute, ...] = (
    *("name", "employer", "job", "department", "team", "city", "country", "language", "email", "phone"),
    *("birthday", "age", "origin", "marital_status", "studies", "health", "allergy", "diet", "family"),
    *("relative", "pet", "possession", "likes", "dislikes", "preference", "plan", "remember"),
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_MOST_IN_RECAP = 5
_SEVERAL = re.compile(rf"\b(?:{QUESTIONS.several})\b")

_LONGEST_FOLLOW_UP = 40
_MOST_BEFORE = 3
"""Earlier messages in which a question may stand that `and before?` continues."""

_LONGEST_COURTESY, _LONGEST_ASIDE = 6, 4
"""Words of a greeting, and of a question among what is told that needs no answer: `ja num disse trem?`"""
_CLAUSE = re.compile(r"[,.;!\n]+")


def answer(conversation: OfflinePrompt, hear: Hear = listen) -> str:
    """The reply, in the user's language. Only what the conversation holds is repeated, and nothing in it is obeyed."""
    return _OfflineAnswer(remaining(conversation, hear), conversation.locale(), hear).reply()


class _OfflineAnswer:
    def __init__(self, conversation: OfflinePrompt, locale: OfflineLanguage, hear: Hear) -> None:
        self.conversation = conversation
        self.locale = locale
        heard = without_forgotten(hear(conversation.message), conversation.message)
        self.denied = heard.denials
        self.waiting = [fact for fact in heard.facts if gate.doubt(fact, "user") is not None]
        self.stated = [
            fact for fact in heard.facts if fact not in self.waiting and not is_beside(fact, heard, conversation)
        ]
        """The facts that the current message states, those that wait for approval, and those that it takes back."""
        self._hear = hear

    @cached_property
    def knowledge(self) -> Knowledge:
        """The facts about the user, which courtesies and open questions don't need."""
        known = self.conversation.memories is not None  # what only the tagger hears of earlier messages is a memory
        return Knowledge(self.conversation, _hear_before if known else self._hear)

    def reply(self) -> str:
        phrases, answers = self.locale.phrases, [*self._answers()]
        grieves = not answers and self.locale.grief.search(folded_words(self.conversation.message))
        said = [*([phrases.sorry] if grieves else ()), *self._acknowledgement(), *answers]
        if self.conversation.has_images:
            said = [each for each in said if each not in (phrases.unknown, phrases.unable)] + [phrases.sees_no_images]
        return " ".join(dict.fromkeys(said)) or self._courtesy()

    def _acknowledgement(self) -> Iterator[str]:
        facts = [*self.stated, *self._explained()]
        name = next((fact.value for fact in reversed(facts) if fact.attribute == "name"), None)
        if name:
            yield self.locale.phrases.meet.format(name=name)
        facts = [fact for fact in facts if fact.attribute != "name"]
        kept = [fact for fact in facts if self._is_remembered(fact)]
        saved = news(self.conversation) if self.conversation.ended else self.conversation.saved
        notes = [quote(each.text) for each in saved if not each.attribute]
        yield from self._understood(kept, notes, remembers=True)
        if not kept:
            yield from self._understood(facts, remembers=False)
        if name and not facts and self._is_remembered(Fact("name", name, name)):
            yield self.locale.phrases.will_remember_name
        yield from self._endings()
        if self.waiting and self.conversation.memories is not None:
            yield self.locale.phrases.will_wait.format(quotes=", ".join(longest([*map(own_words, self.waiting)])))

    def _explained(self) -> list[Fact]:
        """The remembered facts of the message that it states only together with what was known before."""
        saved = [
            Fact(each.attribute, each.value, each.text)
            for each in self.conversation.saved
            if each.attribute and each.value
        ]
        return [each for each in saved if not any(_is_same(each, fact) for fact in self.stated)]

    def _is_remembered(self, fact: Fact) -> bool:
        """Whether the fact is remembered: the message alone is not proof of that."""
        return any(_is_same(each, fact) for each in (*self.conversation.saved, *self.conversation.holding()))

    def _is_known(self, fact: Fact) -> bool:
        """Whether the fact was remembered before: of news of Ana her name is no news."""
        saved = any(_is_same(each, fact) for each in self.conversation.saved)
        return not saved and any(
            _is_same(each, fact) and each.text != fact.text for each in self.conversation.holding()
        )

    def _understood(self, facts: list[Fact], notes: Sequence[str] = (), *, remembers: bool) -> Iterator[str]:
        phrases = self.locale.phrases
        clauses = [said for fact in facts if (said := clause(fact, self.locale))]
        quotes = [own_words(fact) for fact in facts if not (clause(fact, self.locale) or self._is_known(fact))]
        quotes += notes
        if clauses:
            template = phrases.will_remember if remembers else phrases.understood
            joint = f" {phrases.conjunction} {phrases.that} " if remembers else f" {phrases.conjunction} "
            yield template.format(clauses=joint.join(dict.fromkeys(clauses)))
        if quotes:
            told = [shortened(each) for each in longest(quotes)]
            yield (phrases.will_note if remembers else phrases.noted).format(quotes=", ".join(told))

    def _endings(self) -> Iterator[str]:
        """Acknowledge what the message takes back, asks to forget, or ends."""
        phrases, conversation = self.locale.phrases, self.conversation
        if conversation.unclear:
            found = list(dict.fromkeys(f"«{each.text}»" for each in conversation.unclear))[:_MOST_IN_RECAP]
            asks = phrases.which_to_forget if len(found) > 1 else phrases.is_it_to_forget
            yield asks.format(quotes=", ".join(found))
        elif None in [denial.attribute for denial in self.denied]:
            yield phrases.forgotten if conversation.memories is not None else phrases.forgotten_here
        elif self.denied and not self.stated and self._denies_something():
            yield phrases.taken_back
        elif conversation.forgot:
            yield phrases.words_forgotten
        elif named_words(conversation.message):
            yield phrases.nothing_to_forget if conversation.memories is not None else phrases.words_forgotten
        elif conversation.ended and not (self.stated or self.waiting or news(conversation)):
            quotes = ", ".join(longest([quoted_ending(each, conversation) for each in conversation.ended]))
            yield phrases.no_longer_holds.format(quotes=quotes)

    def _denies_something(self) -> bool:
        """Whether a value may be held that the message denies: a user who told of no work loses none by retiring."""
        known = (*self.conversation.ended, *self.conversation.holding())
        return not self.conversation.memories or any(
            each.attribute == denial.attribute and (not denial.value or same(each.attribute, each.value, denial.value))
            for each in known
            for denial in self.denied
        )

    def _answers(self) -> Iterator[str]:
        before = self.conversation.said_by_user()[-_MOST_BEFORE:]
        also = asked_of_another(self.conversation.message, before, self.locale)
        states = bool(self.stated or self.waiting or self.denied)
        for asked in [also] if also else questions(self.conversation.message, self.locale, states=states):
            question = asked if asked.topics or len(asked.text) > _LONGEST_FOLLOW_UP else self._followed(asked)
            if (question.is_request and self.denied) or (question.tells and (self.stated or self.waiting)):
                continue  # `forget my name` and `can you remember that I ...` ask nothing
            if question.is_request and named_words(question.text):
                continue
            is_order, forgot = self.conversation.unclear or what_to_forget(question.text), self.conversation.forgot
            if (self.conversation.ended and is_order) if "?" in question.text else (is_order or forgot):
                continue
            folded = without_greeting(folded_words(question.text), self.locale)
            if relatives := self.knowledge.relatives_asked_for(folded, self.locale):
                yield self._recite(relatives)
            elif question.topics:
                for topic in question.topics:
                    yield self._about(topic, question)
            elif result := sum_of(question.text):
                yield self.locale.phrases.result.format(sum=result[0], result=result[1])
            elif not (self._is_courtesy(question.text) or self._is_understood(question)):
                said, tells = self._open(question), self.stated or self.conversation.saved or self.conversation.ended
                if said != self.locale.phrases.unknown or not tells or len(question.text.split()) > _LONGEST_ASIDE:
                    yield said

    def _followed(self, question: Question) -> Question:
        """The question with what the user's last one was about, where it continues that: `and before?`."""
        before = reversed(self.conversation.said_by_user()[-_MOST_BEFORE:])
        last = next((text for text in before if asks(text, self.locale)), None)
        return follow_up(question, last, self.locale) if last else question

    def _is_understood(self, question: Question) -> bool:
        """`Please remember that ...` and `... , you know?` are answered by the acknowledgement."""
        is_empty = not content_words(question.text, self.locale)
        return bool(self.stated or self.waiting) and (question.is_request or is_empty)

    def _about(self, topic: Topic, question: Question) -> str:
        special: dict[Topic, Callable[[], str]] = {
            "identity": lambda: self.locale.phrases.identity,
            "abilities": lambda: self.locale.phrases.abilities,
            "joke": lambda: self.locale.phrases.joke,
            "today": self._today,
            "everything": self._everything,
            "recap": self._recap,
        }
        if topic in special:
            return special[topic]()
        if topic == "diet" and (facts := [*self._facts("diet"), *self._facts("allergy")]):
            return self._recite(facts)  # what one may not eat is either
        return self._attribute(topic, question)  # pyright: ignore[reportArgumentType]

    def _today(self) -> str:
        today, locale = self.conversation.today, self.locale
        if today is None:
            return locale.phrases.today_unknown
        return locale.phrases.today.format(weekday=locale.weekdays[today.weekday()], date=day(today, locale))

    def _attribute(self, attribute: Attribute, question: Question) -> str:
        """Answer with the facts where the question names no more than the attribute, or else with what was said."""
        folded, facts = folded_words(question.text), self._facts_for(attribute, question)
        if attribute == "city" and _ADDRESS.search(folded) and (home := self._home(question, facts)):
            return self._quote(home)
        if self.locale.since.search(folded) and facts and (since := self._since_when(facts[-1])):
            return since
        if self.locale.past.search(folded) and self._is_plain(attribute, question):
            return self._former(attribute, question, facts)
        if attribute in OPPOSITES and self.locale.asks_liking.search(folded):
            return self._liking(attribute, question)
        over = {fact: said for fact in facts if (said := self._over(fact))}
        facts = [fact for fact in facts if fact not in over]
        if facts and (attribute in OPPOSITES or self._is_plain(attribute, question)):
            return self._recite(facts)  # several can be counted, and words can't tell a liking from its opposite
        if over and not facts:
            return self._quote(Quote([*over.values()][-1], "user"))
        unquotable = attribute in _NOT_QUOTED and self._is_plain(attribute, question)
        misleads = not facts and (unquotable or self.knowledge.is_taken_back(attribute))
        found = None if misleads else self._find(question.text, "user", "document")
        if found and found.is_sure and not self._asks_for_another(attribute, question, found.quote):
            return self._quote(found.quote)
        is_near = facts or attribute not in _OWN or self.knowledge.formers(attribute)
        if found and (is_near or not self._is_plain(attribute, question)):
            return self._nearest(found)
        if attribute in _MANY and not facts and (former := self._named_former(attribute, question)):
            return self._was(former)
        if facts and attribute in SINGLE_VALUED:
            return self._nearest(Found(Quote(facts[-1].text, "user"), is_sure=False))
        return self._not_told(attribute)

    def _home(self, question: Question, towns: Sequence[Fact]) -> Quote | None:
        """The sentence that surely tells the user's address, and not only the town."""
        for asked in (question.text, self.locale.wonders["city"]):
            found = self._find(asked, "user")
            if found and found.is_sure and not any(each.text in found.quote.text for each in towns):
                return found.quote
        return None

    def _is_plain(self, attribute: Attribute, question: Question) -> bool:
        """Whether the question names nothing beside the attribute: `what's my name`."""
        if len(question.topics) > 1:
            return True
        return not (question.likely or beyond_topic(attribute, question.text, self.locale))

    def _asks_for_another(self, attribute: Attribute, question: Question, told: Quote) -> bool:
        """Whether the question names another thing than the sentence: `my customer number` is no telephone number."""
        if attribute not in SINGLE_VALUED or len(question.topics) > 1:
            return False
        words = content_words if question.likely else partial(beyond_topic, attribute)
        asked = set(map(root, words(question.text, self.locale)))
        return bool(asked) and asked.isdisjoint(roots(told.text))

    def _facts_for(self, attribute: Attribute, question: Question) -> list[Fact]:
        """The facts of an attribute, or else those that stand in for them."""
        facts = self._facts(attribute) or self._facts(_STAND_INS.get(attribute, attribute))
        if attribute == "age" and not facts:
            facts = [fact for fact in self._facts("birthday") if _YEAR.search(fact.value)]
        if attribute == "marital_status" and not facts:
            facts = [
                each for each in self._facts("family") if households.is_spouse(named_relative(each.text, each.value))
            ]
        if attribute == "team" and not facts:
            facts = [fact for fact in self._facts("likes") if self._is_team(fact)]
        return possessions.of_kind(facts, folded_words(question.text)) if attribute == "possession" else facts

    def _is_team(self, fact: Fact) -> bool:
        told = self.locale.cheers.search(folded_words(fact.text))
        return told is not None or folded_words(fact.value) in clubs.CLUBS_OR_SUPPORTERS

    def _named_former(self, attribute: Attribute, question: Question) -> Recalled | None:
        """The memory that has ended and that a question about now names: `do I still have a dog`."""
        asked = set(map(root, content_words(question.text, self.locale)))
        formers = self.knowledge.formers(attribute)
        return next((each for each in formers if asked.intersection(roots(each.text))), None)

    def _not_told(self, attribute: Attribute) -> str:
        wonder = self.locale.wonders.get(attribute)
        return self.locale.phrases.not_told.format(wonder=wonder) if wonder else self.locale.phrases.unknown

    def _former(self, attribute: Attribute, question: Question, facts: list[Fact]) -> str:
        """Answer with the values that held before, or all of them where several are asked for."""
        former = self.knowledge.formers(attribute)
        several = _SEVERAL.search(folded_words(question.text))
        if told := [self._was(each) for each in (former if several else former[:1])]:
            return " ".join([self._recite(facts), *told] if several and facts else told)
        found = self._find(question.text, "user")
        if found and not any(each.text in found.quote.text for each in facts):
            is_answer = found.is_sure and content_words(question.text, self.locale)
            return self._quote(found.quote) if is_answer else self._nearest(found)
        return self._not_told(attribute)

    def _over(self, fact: Fact) -> str | None:
        """Return the later statement of this conversation that the fact holds no longer: `I sold the Trek`."""
        said = [*self.conversation.said_by_user(), self.conversation.message]
        told = max((number for number, text in enumerate(said) if fact.text in text), default=-1)
        named = {root(word) for word in content_words(fact.value, self.locale)}
        later = [each for text in said[told + 1 :] for each in telling_sentences(text, self.locale)]
        own = (each for each in reversed(later) if self.locale.others.isdisjoint(folded_words(each).split()))
        return next((each for each in own if is_over(each, named)), None)

    def _since_when(self, fact: Fact) -> str | None:
        """From when on a fact holds, in the user's words where they tell it."""
        if _tells_since(fact.text):
            return self.locale.phrases.you_said.format(quotes=own_words(fact))
        since = self.knowledge.since(fact)
        return self._holds_since(since, own_words(fact)) if since else None

    def _holds_since(self, since: date, quotes: str) -> str:
        return self.locale.phrases.holds_since.format(since=day(since, self.locale), quotes=quotes)

    def _liking(self, attribute: Attribute, question: Question) -> str:
        """Whether the user likes the thing that the question names: what else they like is not an answer."""
        asked = list(map(root, beyond_topic(attribute, question.text, self.locale)))
        told = [*self._facts(attribute), *self._facts(OPPOSITES[attribute])]
        named = [(list(map(root, content_words(fact.value, self.locale))), fact) for fact in told]
        fitting = [(value[:1] != asked[:1], len(value), fact) for value, fact in named if set(asked) <= set(value)]
        if asked and not fitting:
            found = self._find(question.text, "user", "document")
            return self._quote(found.quote) if found and found.is_sure else self.locale.phrases.unknown
        facts = [min(fitting, key=itemgetter(0, 1))[2]] if asked else told
        return self._recite(facts) if facts else self._open(question)

    def _was(self, former: Recalled) -> str:
        until = day(former.until, self.locale) if former.until else ""
        return self.locale.phrases.was.format(until=until, quotes=quote(former.text))

    def _find(self, question: str, *origins: Origin) -> Found | None:
        return find(self.conversation, question, self.locale, origins)

    def _facts(self, attribute: Attribute) -> list[Fact]:
        facts = self.knowledge.all(attribute)
        if attribute in _CONTACTS and (remembered := [each for each in facts if self._is_remembered(each)]):
            return remembered
        return facts if attribute in _MANY else facts[-1:]

    def _recite(self, facts: list[Fact]) -> str:
        clauses = [said for fact in facts if (said := clause(fact, self.locale))]
        quotes = [own_words(fact) for fact in facts if not clause(fact, self.locale)]
        told = [sentence(enumeration(clauses, self.locale.phrases.conjunction))] if clauses else []
        if quotes:
            told.append(self.locale.phrases.you_said.format(quotes=", ".join(longest(quotes))))
        return " ".join(told)

    def _everything(self) -> str:
        facts = [fact for attribute in _PROFILE for fact in self._facts(attribute)]
        known = [clause(fact, self.locale) or own_words(fact) for fact in facts]
        known += [quote(memory.text) for memory in self.conversation.holding() if not memory.attribute]
        if not known:
            return self.locale.phrases.nothing_known
        return self.locale.phrases.everything.format(clauses="; ".join(longest(known)))

    def _recap(self) -> str:
        said = [text for turn in self.conversation.said_by_user() for text in telling_sentences(turn, self.locale)]
        said = [text for text in said if not self._is_courtesy(text)][-_MOST_IN_RECAP:]
        if not said:
            return self.locale.phrases.nothing_said
        return self.locale.phrases.you_said.format(quotes=", ".join(quote(text) for text in said))

    def _open(self, question: Question) -> str:
        """Answer with a sentence that was said."""
        asked = folded_words(question.text)
        if self.locale.asks_assistant.search(asked):
            found = self._find(self.locale.asks_assistant.sub(" ", asked), "assistant")
            if found:
                return self._quote(found.quote)
        found = self._find(question.text, "user", "document")
        if found is None and (own := self._find(question.text, "assistant")) and own.is_sure:
            found = own
        if self.locale.since.search(asked) and not (found and found.is_sure) and (since := self._since(asked)):
            return since
        if found and found.is_sure:
            return self._quote(found.quote)
        if passage := first_found(self.conversation, self.locale):
            return self._quote(passage)
        if found and not question.is_request:
            return self._nearest(found)
        return self.locale.phrases.unable if question.is_request else self.locale.phrases.unknown

    def _since(self, asked: str) -> str | None:
        """From when on a memory holds whose value the question names, in the user's words where they tell it."""
        words = set(asked.split())
        for memory in self.conversation.holding():
            if memory.attribute in ("family", "relative", "pet"):
                continue  # since then they are known to us
            if memory.since and memory.value and set(folded_words(memory.value).split()) <= words:
                said = [
                    text for turn in self.conversation.said_by_user() for text in telling_sentences(turn, self.locale)
                ]
                told = [text for text in said if memory.text in text and _tells_since(text)]
                if told:
                    return self.locale.phrases.you_said.format(quotes=quote(told[-1]))
                return self._holds_since(memory.since, quote(memory.text))
        return None

    def _quote(self, passage: Quote) -> str:
        phrases, on = self.locale.phrases, passage.said_on
        templates = {"user": phrases.you_said, "assistant": phrases.i_said, "document": phrases.document_says}
        if on is None or on == self.conversation.today or passage.origin == "document":
            return templates[passage.origin].format(quotes=quote(passage.text))
        template = phrases.you_said_on if passage.origin == "user" else phrases.i_said_on
        return template.format(date=day(on, self.locale), quotes=quote(passage.text))

    def _nearest(self, found: Found) -> str:
        if found.over:
            return self._was(found.over)
        phrases, passage, on = self.locale.phrases, found.quote, found.quote.said_on
        if passage.origin != "user":
            return f"{phrases.unknown} {self._quote(passage)}"
        if on is None or on == self.conversation.today:
            return phrases.nearest_here.format(quotes=quote(passage.text))
        return phrases.nearest.format(date=day(on, self.locale), quotes=quote(passage.text))

    def _is_courtesy(self, text: str) -> bool:
        return self._courtesy_for(folded_words(text)) is not None

    def _courtesy(self) -> str:
        """Return the reply to a message that states nothing and asks nothing."""
        folded = folded_words(self.conversation.message)
        phrases = self.locale.phrases
        said = self._courtesy_for(folded) or self._unmarked() or self._courtesy_beside()
        return said or (phrases.heard if folded else phrases.unknown)

    def _courtesy_beside(self) -> str | None:
        """The reply to a greeting, thanks or a farewell in a message that tells no fact: `all done, thanks, bye`."""
        first, *others = (folded_words(each) for each in _CLAUSE.split(self.conversation.message))
        phrases, locale = self.locale.phrases, self.locale
        if locale.greetings.match(first):
            return self._greeting()
        if any(map(locale.thanks.match, (first, *others))):
            return phrases.thanks
        is_farewell = locale.farewells.match(first) or any(
            locale.farewells.match(each) or locale.greetings.match(each) for each in others
        )
        return phrases.farewell if is_farewell else None

    def _unmarked(self) -> str | None:
        """Answer what may be a question, as `Lupita sigue con Beto` is, if something surely answers it."""
        message = self.conversation.message
        found = self._find(message, "user", "document") if expected_answer(message).asks >= PERHAPS_ASKING else None
        return self._quote(found.quote) if found and found.is_sure and found.quote.text not in message else None

    def _courtesy_for(self, folded: str) -> str | None:
        if folded.count(" ") >= _LONGEST_COURTESY:
            return None
        if self.locale.thanks.match(folded):
            return self.locale.phrases.thanks
        if self.locale.farewells.match(folded):
            return self.locale.phrases.farewell
        if self.locale.wellbeing.match(folded) or self.locale.wellbeing.match(without_greeting(folded, self.locale)):
            return self.locale.phrases.well
        return self._greeting() if self.locale.greetings.match(folded) else None

    def _greeting(self) -> str:
        name = self.knowledge.latest("name")
        phrases = self.locale.phrases
        return phrases.greet_by_name.format(name=name.value) if name else phrases.greet


def _is_same(one: Fact | Recalled, other: Fact) -> bool:
    return one.attribute == other.attribute and same(one.attribute, one.value, other.value)


_hear_before = lru_cache(_MOST_HEARD)(by_detectors)  # a window is seen again with each turn


def _tells_since(text: str) -> bool:
    """Whether a text says from when on something holds."""
    return not QUESTIONS.since.isdisjoint(folded_words(text).split())
