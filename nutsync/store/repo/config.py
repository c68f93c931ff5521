"""Git's configuration file, read in process.

Most of what nutsync asks for stands in the clone's own ``config``; reading that file costs far less
than a Git process. Whoever needs a value that is not there, or meets an include, asks Git.
"""

from __future__ import annotations

from nutsync.core.pattern import pattern

Values = dict[str, list[str]]

_SECTION = pattern(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_NAME = pattern(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*")
_ESCAPED, _FOLLOWER = pattern(r"\\(.)"), r"\1"
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}


def canonical_key(key: str) -> str:
    """Return the key with section and name in lower case; a subsection keeps its case."""
    section, _, rest = key.partition(".")
    sub, dot, name = rest.rpartition(".")
    return f"{section.lower()}.{sub}{dot}{name.lower()}"


def parse_config(content: bytes) -> Values | None:
    """Return every value by its canonical key, in file order; None where Git would refuse the file."""
    text = content.decode("utf-8-sig", "surrogateescape").replace("\r\n", "\n")
    values: Values = {}
    prefix = ""
    position = 0
    while position < len(text):
        char = text[position]
        if char in " \t\n":
            position += 1
        elif char in "#;":
            position = _line_end(text, position)
        elif char == "[":
            match = _SECTION.match(text, position)
            if match is None:
                return None
            prefix = _prefix(match.group(1), match.group(2))
            position = match.end()
        else:
            match = _NAME.match(text, position)
            if match is None or not prefix:
                return None
            read = _value(text, match.end())
            if read is None:
                return None
            value, position = read
            values.setdefault(prefix + match.group(1).lower(), []).append(value)
    return values


def _prefix(section: str, sub: str | None) -> str:
    if sub is None:
        # The old spelling [section.sub] is case-insensitive throughout.
        return section.lower() + "."
    return f"{section.lower()}.{_ESCAPED.sub(_FOLLOWER, sub)}."


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _value(text: str, position: int) -> tuple[str, int] | None:
    """Return the value that begins at ``position`` and where it ends; None where it is malformed."""
    end = _line_end(text, position)
    if position == end or text[position] in "#;":
        return "true", end
    if text[position] != "=":
        return None
    plain = text[position + 1 : end]
    if not any(char in plain for char in '"\\#;'):
        return plain.strip(" \t"), end
    return _quoted_value(text, position + 1)


def _quoted_value(text: str, position: int) -> tuple[str, int] | None:
    """Read a value with quotes, escapes, comments or continued lines."""
    value: list[str] = []
    kept = 0  # how much of the value survives when trailing blanks go
    quoted = False
    while position < len(text):
        char = text[position]
        position += 1
        if char == "\n":
            if quoted:
                return None
            break
        if char == "\\":
            follower = text[position : position + 1]
            position += 1
            if follower == "\n":
                continue
            if follower not in _ESCAPES or not follower:
                return None
            value.append(_ESCAPES[follower])
            kept = len(value)
        elif char == '"':
            quoted = not quoted
            kept = len(value)
        elif char in "#;" and not quoted:
            position = _line_end(text, position)
            break
        elif quoted or char not in " \t":
            value.append(char)
            kept = len(value)
        elif value:
            value.append(char)
    return None if quoted else ("".join(value[:kept]), position)


def has_includes(values: Values) -> bool:
    """Tell whether the file draws on other files, so that it alone does not say what holds."""
    return any(key.startswith(("include.", "includeif.")) for key in values)


def is_true(value: str) -> bool:
    """Tell whether Git takes the value for true."""
    return value.lower() in {"true", "yes", "on"} or (value.lstrip("+-").isdigit() and int(value) != 0)
