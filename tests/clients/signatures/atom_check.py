"""Reads Atom feeds with feedparser and prints the links of their entries. Input: URLs."""
import json
import sys

import feedparser

results = []
for url in sys.argv[1:]:
    feed = feedparser.parse(url)
    if feed.bozo or feed.version != "atom10":
        sys.exit(f"{url}: {feed.get('bozo_exception')} {feed.version}")
    if len({entry.id for entry in feed.entries}) < len(feed.entries) or not all(entry.title for entry in feed.entries):
        sys.exit(f"{url}: ids or titles")
    results.append([entry.link for entry in feed.entries])
print(json.dumps(results))
