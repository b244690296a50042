"""A local server that speaks the message formats of OpenAI (POST /v1/chat/completions) and Anthropic (POST /v1/messages), as far as
an agent loop meets them, and is as strict about them as the real ones: what they would refuse with 400 is refused here.

Its model asks the vault; once it has read that the vault does not answer, the notes; acknowledges what it was told to deal with; and
then says what it has found.
"""

import http.server
import json
import re
import threading

NOTIFICATION = re.compile(r'<system_notification fence="(\w+)">\n(.*)\n</system_notification fence="\1">', re.DOTALL)


class BadRequest(Exception):
    pass


def need(condition, words):
    if not condition:
        raise BadRequest(words)


def read_openai(body):
    """(texts of the system, words of the user, results of tools) of a chat that the interface would take."""
    need(isinstance(body.get("model"), str) and body.get("messages"), "model and messages are needed")
    open_calls, told, said, results = set(), [], [], []
    for message in body["messages"]:
        role = message["role"]
        need(role == "tool" or not open_calls, f"tool calls {open_calls} are not answered before a message of role {role}")
        if role == "assistant":
            open_calls = {call["id"] for call in message.get("tool_calls") or []}
        elif role == "tool":
            need(message["tool_call_id"] in open_calls, "a result without its call")
            need(isinstance(message["content"], str), "a result is a text")
            open_calls.remove(message["tool_call_id"])
            results.append(message["content"])
        else:
            need(role in ("system", "developer", "user"), f"a role {role}")
            need(isinstance(message["content"], str) and message["content"], "content is a text")
            (said if role == "user" else told).append(message["content"])
    need(not open_calls, "calls without results")
    for tool in body.get("tools", []):
        need(tool["type"] == "function" and tool["function"]["parameters"]["type"] == "object", "a tool is a function")
    return told, said, results, [tool["function"]["name"] for tool in body.get("tools", [])]


def read_anthropic(body):
    """The same of messages that Anthropic's interface would take."""
    need(isinstance(body.get("model"), str) and body.get("max_tokens", 0) > 0, "model and max_tokens are needed")
    open_calls, told, said, results, last = set(), [], [], [], "assistant"
    for message in body["messages"]:
        need(message["role"] in ("user", "assistant") and message["role"] != last, "roles alternate, and the user begins")
        last = message["role"]
        need(isinstance(message["content"], list) and message["content"], "content is a list of blocks")
        if last == "assistant":
            open_calls = {block["id"] for block in message["content"] if block["type"] == "tool_use"}
            continue
        kinds = [block["type"] for block in message["content"]]
        need(sorted(kinds, key=lambda kind: kind != "tool_result") == kinds, "results of tools come first")
        for block in message["content"]:
            if block["type"] == "tool_result":
                need(block["tool_use_id"] in open_calls, "a result without its call")
                open_calls.remove(block["tool_use_id"])
                results.append(block["content"])
            else:
                need(block["type"] == "text" and block["text"].strip(), "a text that is not empty")
                (told if NOTIFICATION.search(block["text"]) else said).append(block["text"])
        need(not open_calls, f"tool_use {open_calls} without tool_result")
    need(last == "user", "the last word is the user's")
    for tool in body.get("tools", []):
        need(tool["input_schema"]["type"] == "object" and set(tool) <= {"name", "description", "input_schema"}, "a tool's shape")
    return told, said, results, [tool["name"] for tool in body.get("tools", [])]


def think(told, said, results, tools):
    """("call", name, arguments) or ("say", text)."""
    notices = "\n".join(text for text in told if NOTIFICATION.search(text))
    asked = re.findall(r"(?:Tell the user|Decide what to do) about ([n0-9, ]+), then call belfry_ack", notices)
    if asked and "belfry_ack" in tools and "ok" not in results:
        return "call", "belfry_ack", {"handles": asked[-1].split(", ")}
    found = [text for text in results if text not in ("failed", "ok")]
    if found:
        heard = [text for text in said if "?" not in text]
        return "say", " ".join([found[-1], *(f"You said: {text}" for text in heard)])
    return "call", "note_search" if "vault_search" in notices else "vault_search", {"query": "keys"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, body))
        try:
            if self.path == "/v1/chat/completions":
                need(self.headers["Authorization"] == "Bearer key", "who are you?")
                answer = openai_answer(think(*read_openai(body)), len(self.server.requests))
            else:
                need(self.path == "/v1/messages", "no such path")
                need(self.headers["x-api-key"] == "key" and self.headers["anthropic-version"], "who are you?")
                answer = anthropic_answer(think(*read_anthropic(body)), len(self.server.requests))
            self.reply(200, answer)
        except (BadRequest, KeyError, TypeError) as error:
            self.server.refused.append(repr(error))
            self.reply(400, {"error": {"type": "invalid_request_error", "message": repr(error)}})

    def reply(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def openai_answer(thought, number):
    message = {"role": "assistant", "content": thought[1] if thought[0] == "say" else None}
    if thought[0] == "call":
        message["tool_calls"] = [{"id": f"call_{number}", "type": "function",
                                  "function": {"name": thought[1], "arguments": json.dumps(thought[2])}}]
    return {"id": f"chatcmpl-{number}", "object": "chat.completion", "model": "local",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop" if thought[0] == "say" else "tool_calls"}],
            "usage": {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}}


def anthropic_answer(thought, number):
    block = {"type": "text", "text": thought[1]} if thought[0] == "say" else \
        {"type": "tool_use", "id": f"toolu_{number}", "name": thought[1], "input": thought[2]}
    return {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "local", "content": [block],
            "stop_reason": "end_turn" if thought[0] == "say" else "tool_use",
            "usage": {"input_tokens": 90, "output_tokens": 10}}


class ModelServer:
    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.requests, self.server.refused = [], []
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def requests(self):
        return self.server.requests

    @property
    def refused(self):
        return self.server.refused
