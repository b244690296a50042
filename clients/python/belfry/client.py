"""The client: everything that a program asks of a daemon over HTTP."""

from __future__ import annotations

from .agents import Agents
from .base import Base
from .change_sets import ChangeSets
from .context_values import ContextValues
from .events import Events
from .interactions import Interactions
from .journal import Journal
from .memory import Memory
from .notifications import Notifications
from .runs import Runs
from .sessions import Sessions
from .timers import Timers
from .tools import Tools


class Client(Events, Notifications, Sessions, Runs, Interactions, ChangeSets, Agents, Memory, Timers, Tools,
             Journal, ContextValues):
    __doc__ = Base.__doc__
