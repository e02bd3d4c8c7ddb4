"""Reads made-up log lines, keeps the latest of them in memory, and answers
queries about them, as a small service would."""
import collections
import json
import random


class Session:
    def __init__(self, user):
        self.user = user
        self.events = []
        self.totals = collections.Counter()

    def add(self, event):
        self.events.append(event)
        self.totals[event["path"]] += event["bytes"]
        if len(self.events) > 200:
            old = self.events.pop(0)
            self.totals[old["path"]] -= old["bytes"]


def lines(count, rng):
    for i in range(count):
        yield json.dumps({
            "time": i,
            "user": f"user-{int(rng.paretovariate(0.7)) % 4000}",
            "path": "/" + "/".join(rng.choice("abcdefgh") * rng.randint(1, 6) for _ in range(rng.randint(1, 4))),
            "bytes": rng.randint(100, 1_000_000),
            "agent": "x" * rng.randint(20, 300) if rng.random() < 0.3 else None,
        })


def main():
    rng = random.Random(42)
    sessions = {}
    for n, line in enumerate(lines(8_000, rng)):
        event = json.loads(line)
        user = event["user"]
        if user not in sessions:
            sessions[user] = Session(user)
        sessions[user].add(event)
        if n % 2_000 == 1_999:
            top = sorted(sessions.values(), key=lambda s: -sum(s.totals.values()))
            report = json.dumps([[s.user, s.totals] for s in top], indent=1)
            for s in top[len(top) * 3 // 4:]:
                del sessions[s.user]
            print(len(report), len(sessions))


main()
