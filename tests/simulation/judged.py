"""One schedule of a deployment that notes what its user did, and what the judge of the history checker says of it."""

import random

from checker.promises import User, judge_user
from simulation.scheduler import ACTOR, Actor


def violation_of(loop, deployment, schedule, rules):
    """The violation of the deployment's schedule, or None."""
    random.seed(deployment.scheduler.seed)
    token = ACTOR.set(Actor("main"))
    try:
        loop.run_until_complete(deployment.scheduler.spawn(Actor("main"), schedule(deployment)))
        judge_user(User(deployment.done), rules)
    except AssertionError as violation:
        return violation
    finally:
        ACTOR.reset(token)
        deployment.scheduler.finish()
    return None
