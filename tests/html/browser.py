"""A page in headless Chromium, over its debugging pipe: what it asks the network for, logs, draws and answers."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One Chromium. `with Browser() as browser: page = browser.open(url)`."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="zs-browser-")
        to_child, self.out = os.pipe()
        self.inp, from_child = os.pipe()
        # The pipe's ends are 3 and 4 in the child.
        command = f"exec {CHROMIUM} --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run " \
                  f"--disable-background-networking --remote-debugging-pipe --user-data-dir={self.folder} " \
                  f"about:blank 3<&{to_child} 4>&{from_child}"
        self.process = subprocess.Popen(["/bin/bash", "-c", command], pass_fds=(to_child, from_child),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env={**os.environ, "HOME": self.folder})
        os.close(to_child)
        os.close(from_child)
        self.buffer, self.number, self.events = b"", 0, []
        return self

    def __exit__(self, *unused):
        try:
            self.call("Browser.close")
        except (OSError, EOFError):
            pass
        os.close(self.out)
        os.close(self.inp)
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.buffer:
            data = os.read(self.inp, 1 << 20)
            if not data:
                raise EOFError("Chromium ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url, width=1200, height=900, dark=False):
        return Page(self, url, width, height, dark)


class Page:
    def __init__(self, browser, url, width, height, dark):
        self.browser, self.url = browser, url
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        # CPU time of the page's thread: the machine may be busy.
        self.call("Performance.enable", timeDomain="threadTicks")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=url)
        self.wait_for("document.documentElement?.dataset.ready === 'true'")

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, f"{expression}: {answer['exceptionDetails']}"
        return answer["result"].get("value")

    def wait_for(self, expression, within_s=60):
        deadline = time.monotonic() + within_s
        while not self.evaluate(expression):
            assert time.monotonic() < deadline, f"{self.url}: waited in vain for {expression}"
            time.sleep(0.02)

    def mine(self, method):
        return [e["params"] for e in self.browser.events
                if e.get("sessionId") == self.session and e["method"] == method]

    def requests(self):
        """URLs asked for besides the page itself."""
        urls = [params["request"]["url"] for params in self.mine("Network.requestWillBeSent")]
        return [url for url in urls if url != self.url]

    def complaints(self):
        """Errors, warnings and exceptions."""
        logged = [p["entry"]["text"] for p in self.mine("Log.entryAdded") if p["entry"]["level"] in ("error", "warning")]
        called = [str(p["args"]) for p in self.mine("Runtime.consoleAPICalled") if p["type"] in ("error", "warning", "assert")]
        thrown = [str(p["exceptionDetails"]) for p in self.mine("Runtime.exceptionThrown")]
        return logged + called + thrown

    def press(self, key, code):
        for kind in ("rawKeyDown", "char", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "char" else {}
            if kind != "char" or text:
                self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def metrics(self):
        """Seconds by name."""
        return {m["name"]: m["value"] for m in self.call("Performance.getMetrics")["metrics"]}

    def screenshot(self, path, top=0, height=1500):
        width = self.call("Page.getLayoutMetrics")["cssContentSize"]["width"]
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                         clip={"x": 0, "y": top, "width": width, "height": height, "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def pdf(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"]))
