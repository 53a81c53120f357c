"""What a page holds, read back as a browser would: elements, data, container, policy."""

import base64
import hashlib
import json
from dataclasses import dataclass, field
from html.parser import HTMLParser

from .reading import read_container


@dataclass
class Page(HTMLParser):
    """A page taken apart."""

    text: str
    tags: list = field(default_factory=list)
    inside: dict = field(default_factory=dict)
    shown: list = field(default_factory=list)

    def __post_init__(self):
        HTMLParser.__init__(self, convert_charrefs=True)
        self.open = None
        self.feed(self.text)
        self.close()

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.tags.append((tag, named))
        if tag in ("script", "style", "title"):
            self.open = named.get("id", tag)
            self.inside.setdefault(self.open, "")

    def handle_endtag(self, tag):
        if tag in ("script", "style", "title"):
            self.open = None

    def handle_data(self, data):
        if self.open is None:
            self.shown.append(data)
        else:
            self.inside[self.open] += data

    @property
    def data(self):
        return json.loads(self.inside["data"])

    @property
    def sections(self):
        return read_container(self.inside["packed"])

    @property
    def policy(self):
        [content] = [named["content"] for tag, named in self.tags
                     if named.get("http-equiv") == "Content-Security-Policy"]  # fmt: skip
        return content


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()).decode()
