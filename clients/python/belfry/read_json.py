"""JSON as Belfry's answers have it."""

from __future__ import annotations

import decimal
import json
from typing import Any


def read_json(text: str | bytes) -> Any:
    """The value, or ValueError. Python refuses whole numbers of more than 4,300 digits; they become Decimals here, so that
    one of them, in what somebody else has said, does not keep a reader from all the rest."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except UnicodeDecodeError:
        raise
    except ValueError:
        return json.loads(text, parse_int=decimal.Decimal)
