#!/usr/bin/env python3
"""A small agent loop that lets Belfry tell it what it must know. Nothing but Python's own library.

    belfry serve &
    BELFRY_TOKEN=$(belfry token create loop --role agent --bound-user "$USER") examples/agent_loop.py

BELFRY_URL (http://127.0.0.1:7117 unless told) says where Belfry is, BELFRY_TOKEN who the agent's runtime is. The model is
a few lines of this file, so that the loop can be read and run without one; `think` is the place for a real one.
"""

import http.client
import json
import os
import sys
import urllib.parse
import uuid


class Belfry:
    """The two sides of a session: what the runtime reports, and what it is handed."""

    def __init__(self, url, token, session):
        self.address = urllib.parse.urlsplit(url).netloc
        self.token = token
        self.path = "/v1/sessions/" + urllib.parse.quote(session, safe="")
        self.got = {}

    def send(self, method, what, body):
        connection = http.client.HTTPConnection(self.address, timeout=30)
        try:
            connection.request(method, self.path + what, json.dumps(body),
                               {"Authorization": "Bearer " + self.token, "Content-Type": "application/json"})
            answer = connection.getresponse()
            result = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status >= 300:
            raise RuntimeError(f"{result['code']} {result.get('field', '')}: {result['detail']}")
        return result

    def begin(self, **settings):
        return self.send("PUT", "", settings)

    def turn(self, event, **more):
        return self.send("POST", "/turns", {"event": event, **self.got, **more})

    def tool_call(self, **report):
        return self.send("POST", "/tool-calls", {**self.got, **report})

    def due(self, point):
        """What is due now, ready for the model: a list of messages, often empty."""
        pulled = self.send("POST", "/pull?format=openai", {"point": point, "budget_tokens": 2000, **self.got})
        self.got = {"pull_id": pulled["pull_id"]}  # every call names it: what was lost on its way comes again
        for message in pulled["user_messages"]:
            print("the person says:", message["content"])  # it is among the messages, too
        if pulled["items"]:
            # From here on it is ours: it goes into the context in the next line of the caller.
            self.send("POST", "/acknowledge", {"pull_id": pulled["pull_id"]})
            print(f"{point}: {len(pulled['items'])} for the model")
            print(pulled["text"])
        return pulled["messages"]


def vault_search(query):
    raise TimeoutError(f"Operation timed out after 5000ms: {query}")


def note_search(query):
    return f"The {query} hang beside the door."


TOOLS = {"vault_search": vault_search, "note_search": note_search}


def think(messages):
    """The model: asks the vault, and the notes once it has read that the vault does not answer."""
    told = [message["content"] for message in messages if message["role"] == "developer"]
    found = [message["content"] for message in messages if message["role"] == "tool" and message["content"]]
    if found:
        return {"text": found[-1]}
    tool = "note_search" if any("vault_search" in text for text in told) else "vault_search"
    return {"tool": tool, "arguments": {"query": "keys"}}


def call_tool(belfry, name, arguments):
    """Runs a tool and reports how it went. What went wrong comes back to the model as a notification."""
    report = {"tool_name": name, "call_id": uuid.uuid4().hex, "arguments": arguments}
    try:
        result = TOOLS[name](**arguments)
    except TimeoutError as problem:
        belfry.tool_call(status="failure", error_type="timeout", error_message=str(problem), **report)
        return ""
    belfry.tool_call(status="success", duration_ms=3, result_summary=result, **report)
    return result


def answer(belfry, messages, question):
    """One turn of the agent: from a person's question to the answer."""
    belfry.turn("start")
    messages += belfry.due("turn_start") + [{"role": "user", "content": question}]
    calls = 0
    while True:
        thought = think(messages)
        if "text" in thought:
            belfry.turn("end", reason="answered", tool_calls=calls, tokens_used=900, context_tokens=4000)
            return thought["text"]
        calls += 1
        print("the model calls", thought["tool"])
        messages.append({"role": "tool", "content": call_tool(belfry, thought["tool"], thought["arguments"])})
        messages += belfry.due("after_tool")


def main():
    session = sys.argv[1] if len(sys.argv) > 1 else "example-python"
    belfry = Belfry(os.environ.get("BELFRY_URL", "http://127.0.0.1:7117"), os.environ["BELFRY_TOKEN"], session)
    belfry.begin(title="Where are the keys?", budget={"tokens": 1000, "iterations": 30, "context_tokens": 200000})
    messages = []
    print("the agent says:", answer(belfry, messages, "Where are the keys?"))
    # 900 of 1000 tokens are gone: the next turn begins with that.
    print("the agent says:", answer(belfry, messages, "And the spare ones?"))


if __name__ == "__main__":
    main()
