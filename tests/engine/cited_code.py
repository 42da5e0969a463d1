"""A memory that cites code of the small repository, and how its citations stand."""

from __future__ import annotations

GET = 'def get_user_name(uid):\n    """Look up the display name of a user."""\n    return USERS[uid]["name"]\n'
LONG = "".join(f"STEP_{n} = {n}\n" for n in range(30))
STEPS = ("open_the_door()", "walk_to_the_table()", "take_the_glass()", "fill_the_glass()", "drink_the_water()")


def keep(muninn, **params):
    """Remember something that cites code, and return the id."""
    return muninn.call("remember", text=params.pop("text", "Names are looked up in a table."), **params).ids[0]


def standing(muninn, identity):
    """Return the current citations of a memory."""
    return muninn.call("memories", id=identity).citations.get(identity, ())


def states(muninn, identity):
    return [one.state for one in standing(muninn, identity)]


def users(muninn):
    return muninn.root / "src" / "users.py"


def rewrite(muninn, change):
    text = users(muninn).read_text()
    assert change(text) != text
    users(muninn).write_text(change(text))
    muninn.touch("src/users.py")
