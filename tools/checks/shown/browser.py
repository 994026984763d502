"""Chromium without a window, driven through its debugging pipe: one JSON message after another, each ended by a zero."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time

from checks.registry import CannotRun, Failed

DRAWN = "document.querySelector('[data-arrows]') !== null"  # a page of ours has its first picture
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --remote-debugging-pipe "
    # rendering in software, so that figures and pictures do not depend on the machine's graphics
    "--use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader"
).split()
SECONDS = 120  # an answer that takes longer does not come
HIGH = 10  # descriptors below are left to the browser


class Browser:
    """with Browser(folder) as browser: page = browser.open(...)"""

    def __init__(self, profile):
        program = shutil.which(os.environ.get("BROWSER", "chromium"))
        if program is None:
            raise CannotRun("chromium is not installed (BROWSER names another of its kind)")
        down, up = os.pipe(), os.pipe()
        theirs = [fcntl.fcntl(fd, fcntl.F_DUPFD, HIGH) for fd in (down[0], up[1])]
        self.sender, self.receiver = down[1], up[0]

        def place():
            os.dup2(theirs[0], 3)
            os.dup2(theirs[1], 4)

        self.process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(3, 4), preexec_fn=place,
        )  # fmt: skip
        for fd in (*theirs, down[0], up[1]):
            os.close(fd)
        self.rest, self.number, self.events = b"", 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.sender)
        os.close(self.receiver)

    def message(self, deadline):
        while b"\0" not in self.rest:
            if not select.select([self.receiver], [], [], max(0, deadline - time.monotonic()))[0]:
                raise Failed("the browser does not answer")
            piece = os.read(self.receiver, 1 << 20)
            if not piece:
                raise Failed("the browser ended")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, session=None, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if session:
            request["sessionId"] = session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.sender, data) :]
        deadline = time.monotonic() + SECONDS
        while True:
            answer = self.message(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error'].get('message')}")
                return answer["result"]
            self.events.append(answer)

    def open(self, address, width, height, scheme="light", ready=DRAWN):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, target, session)
        for domain in ("Page", "Runtime", "Log"):
            page.call(f"{domain}.enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.call("Page.navigate", url=address)
        page.wait(f"document.readyState === 'complete' && {ready}")
        return page


class Page:
    def __init__(self, browser, target, session):
        self.browser, self.target, self.session = browser, target, session

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def value(self, expression):
        """The value of an expression of the page, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Failed(answer["exceptionDetails"].get("exception", {}).get("description", expression))
        return answer["result"].get("value")

    def wait(self, expression):
        deadline = time.monotonic() + SECONDS
        while not self.value(expression):
            if time.monotonic() > deadline:
                raise Failed(f"it never came to this: {expression}")
            time.sleep(0.05)

    def drawn(self):
        """Until the page has drawn what was asked for."""
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def key(self, name, shift=False):
        codes = {"Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "Enter": 13}
        common = {"key": name, "code": name, "windowsVirtualKeyCode": codes[name], "modifiers": 8 if shift else 0}
        text = {"text": "\r"} if name == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **common, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left", clickCount=1)

    def picture(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def complaints(self):
        """Errors of the console and of scripts so far."""
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"].get("exception", {}).get("description", "exception"))
            if method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
                found.append(str([item.get("value") for item in parameters["args"]]))
            if method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                found.append(parameters["entry"]["text"])
        return found

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
