"""Drives a headless Chromium through its DevTools protocol.

Over a pair of pipes: that needs no web socket, so nothing beside Python's
standard library and the browser itself.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ('chromium-headless-shell', 'chromium', 'chromium-browser',
         'google-chrome')
FIRST_FREE = 10  # descriptors below may be those that the browser reads

KEYS = {
    'Enter': (13, '\r'), 'Escape': (27, ''), 'Tab': (9, ''),
    'ArrowUp': (38, ''), 'ArrowDown': (40, ''), 'ArrowLeft': (37, ''),
    'ArrowRight': (39, ''), 'Home': (36, ''), 'End': (35, ''),
}


def find_browser():
    """The browser to test with, or None. ASSAY_CHROMIUM names another."""
    names = [os.environ['ASSAY_CHROMIUM']] if os.environ.get(
        'ASSAY_CHROMIUM') else NAMES
    return next(filter(None, map(shutil.which, names)), None)


class Browser:
    """A browser process; pages are opened in it one after another."""

    def __init__(self, program, deadline=60):
        self.deadline = deadline
        self.home = tempfile.mkdtemp(prefix='assay-browser-')
        their_in, self.out = os.pipe()
        self.into, their_out = os.pipe()
        ours = [their_in, their_out]

        def place_pipes():
            # Out of the way first: one may be the other's place.
            high = [fcntl.fcntl(fd, fcntl.F_DUPFD, FIRST_FREE)
                    for fd in ours]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        words = [
            program, '--headless', '--remote-debugging-pipe', '--disable-gpu',
            '--no-first-run', '--disable-extensions', '--hide-scrollbars',
            '--disable-background-networking', '--disable-dev-shm-usage',
            '--force-color-profile=srgb', f'--user-data-dir={self.home}',
        ]
        if os.geteuid() == 0:
            words.append('--no-sandbox')  # which refuses to run as root
        self.process = subprocess.Popen(
            words, preexec_fn=place_pipes, pass_fds=(3, 4),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, 'HOME': self.home})
        for fd in ours:
            os.close(fd)
        self.buffer = b''
        self.number = 0
        self.events = []

    def close(self):
        os.close(self.out)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.into)
        shutil.rmtree(self.home, ignore_errors=True)

    def receive(self, until):
        while b'\0' not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.into], [], [], left)[0]:
                raise TimeoutError('the browser does not answer')
            more = os.read(self.into, 1 << 20)
            if not more:
                raise RuntimeError('the browser ended')
            self.buffer += more
        message, self.buffer = self.buffer.split(b'\0', 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': params}
        if session:
            message['sessionId'] = session
        text = json.dumps(message).encode() + b'\0'
        while text:
            text = text[os.write(self.out, text):]
        until = time.monotonic() + self.deadline
        while True:
            answer = self.receive(until)
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]}')
                return answer['result']
            self.events.append(answer)

    def open(self, file, width=1440, height=900):
        return Page(self, file, width, height)


class Page:
    """One page, as somebody sees and uses it."""

    def __init__(self, browser, file, width, height):
        self.browser = browser
        target = browser.call('Target.createTarget', url='about:blank')
        self.target = target['targetId']
        self.session = browser.call('Target.attachToTarget', flatten=True,
                                    targetId=self.target)['sessionId']
        browser.events.clear()
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(domain + '.enable')
        self.call('Performance.enable', timeDomain='threadTicks')
        self.resize(width, height)
        self.url = 'file://' + os.path.abspath(file)
        self.call('Page.navigate', url=self.url)
        self.wait('document.documentElement?.dataset.ready !== undefined')

    def close(self):
        self.browser.call('Target.closeTarget', targetId=self.target)

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def eval(self, expression):
        """The value of an expression, which has to be JSON."""
        answer = self.call('Runtime.evaluate', expression=expression,
                           returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in answer:
            raise AssertionError(f'{expression}: '
                                 f'{answer["exceptionDetails"]}')
        return answer['result'].get('value')

    def wait(self, condition, seconds=60):
        until = time.monotonic() + seconds
        while not self.eval(f'!!({condition})'):
            if time.monotonic() > until:
                raise AssertionError(f'never came true: {condition}; '
                                     f'{self.faults()[:3]}')
            time.sleep(.02)

    def cpu_seconds(self):
        """What the page's process has computed so far: other load on the
        machine hardly shows in it."""
        metrics = self.call('Performance.getMetrics')['metrics']
        return next(m['value'] for m in metrics if m['name'] == 'ProcessTime')

    def faults(self):
        """Script errors, refused loads and console errors so far."""
        out = []
        for event in self.browser.events:
            method, params = event.get('method'), event.get('params', {})
            if method == 'Runtime.exceptionThrown':
                details = params['exceptionDetails']
                out.append(details.get('exception', {}).get(
                    'description', details['text']))
            elif method == 'Log.entryAdded' and params['entry'][
                    'level'] in ('error', 'warning'):
                out.append(params['entry']['text'])
            elif method == 'Runtime.consoleAPICalled' and params[
                    'type'] in ('error', 'assert'):
                out.append(str(params['args']))
        return out

    def requests(self):
        """What was loaded, the page itself aside."""
        return [e['params']['request']['url'] for e in self.browser.events
                if e.get('method') == 'Network.requestWillBeSent'
                and e['params']['request']['url'].split('#')[0] != self.url]

    def resize(self, width, height):
        self.call('Emulation.setDeviceMetricsOverride', width=width,
                  height=height, deviceScaleFactor=1, mobile=False)

    def media(self, kind='', scheme='light'):
        self.call('Emulation.setEmulatedMedia', media=kind, features=[
            {'name': 'prefers-color-scheme', 'value': scheme}])

    def click(self, expression):
        """A real click on the middle of an element. What lies over it gets
        it instead."""
        box = self.eval(f'''(() => {{
            const node = {expression};
            node.scrollIntoView({{block: 'center', inline: 'center'}});
            const b = node.getBoundingClientRect();
            return [b.x + b.width / 2, b.y + b.height / 2];
        }})()''')
        for kind in ('mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent', type=kind, x=box[0],
                      y=box[1], button='left', clickCount=1)

    def press(self, key, times=1):
        code, text = KEYS.get(key) or (ord(key.upper()), key)
        params = {'key': key, 'windowsVirtualKeyCode': code}
        if text:
            params['text'] = text
        for _ in range(times):
            self.call('Input.dispatchKeyEvent', type='keyDown', **params)
            self.call('Input.dispatchKeyEvent', type='keyUp', key=key,
                      windowsVirtualKeyCode=code)

    def type(self, text):
        self.call('Input.insertText', text=text)

    def screenshot(self, file):
        data = self.call('Page.captureScreenshot', format='png')['data']
        with open(file, 'wb') as out:
            out.write(base64.b64decode(data))

    def pdf(self):
        data = self.call('Page.printToPDF', printBackground=True)['data']
        return base64.b64decode(data)
