"""The page as a reader uses it, in a headless Chromium.

page_browser_test.py PAGE_SAMPLE ASSAY: makes pages with these programs, opens
them, clicks, types, and looks at what is there. Without a browser it exits
77, which CTest reports as skipped.
"""

import os
import subprocess
import sys
import tempfile
import unittest

import devtools
from checks import CONTRAST, LAYOUT, NAMELESS

BROWSER = devtools.find_browser()
LARGE = 100_000
# CPU seconds that a page of LARGE records may take to open, and to follow a
# letter of a search; it takes a quarter of that.
OPEN = 2
FOLLOW = 2

class PageTest(unittest.TestCase):
    """Each test opens a page anew; the browser stays."""

    file = ''

    @classmethod
    def setUpClass(cls):
        cls.browser = devtools.Browser(BROWSER)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def setUp(self):
        self.page = self.browser.open(self.file)

    def tearDown(self):
        try:
            self.assertEqual(self.page.faults(), [])
            self.assertEqual(self.page.requests(), [])
        finally:
            self.page.close()

    def text(self, selector):
        return self.page.eval(
            f'document.querySelector({selector!r})?.innerText')

    def count(self, selector):
        return self.page.eval(f'document.querySelectorAll({selector!r}).length')

    def state(self, name):
        return self.page.eval(
            f'new URLSearchParams(location.hash.slice(1)).get({name!r})')

    def focus(self):
        return self.page.eval('document.activeElement.ariaLabel')

    def look(self):
        self.assertEqual(self.page.eval(LAYOUT), [])

    def go(self, address):
        self.page.eval(f'location.hash = {address!r}')

    def open_failure(self):
        """Opens the first cell that has failed, then its first case."""
        self.page.click('document.querySelector("td.bad")')
        self.page.wait('document.querySelector("#panel .line")')
        self.page.click('document.querySelector("#panel .line")')
        self.page.wait('document.querySelector("#panel .facts")')


class SmallPage(PageTest):
    def test_matrix_has_every_cell(self):
        rows = self.page.eval('rows.length')
        self.assertEqual(self.count('.matrix tbody th[scope=row]'), rows)
        self.assertEqual(self.page.eval(
            '[...document.querySelectorAll("td")].filter('
            'td => !td.innerText.trim() || !td.ariaLabel).length'), 0)
        self.look()

    def test_cells_count_as_the_records_do(self):
        self.assertEqual(self.page.eval('''(() => {
            const faults = [];
            for (const line of grid.cells) for (const td of line) {
              const {row, column} = td.target;
              const own = new Set(columnParts.filter(
                  p => p.name === column).map(p => p.number));
              let bad = 0, worst = 'pass', unknown = 0, derived = 0;
              for (let r = 0; r < recordCount; ++r) {
                if (!own.has(records.column[r]) ||
                    rows[cases.row[records.case[r]]].name !== row) continue;
                const status = statusOf(r);
                bad += !['pass', 'quality_warning'].includes(status);
                if (rankOf[status] > rankOf[worst]) worst = status;
                derived += names.lowering[records.lowering[r]] === 'derived';
                unknown += rankOf[status] >= rankOf.flaky && !records.known[r];
              }
              const sign = unknown === 0 && rankOf[worst] >= rankOf.flaky ?
                  '◆' : looks[worst].sign;
              if (td.querySelector('.sign').innerText !== sign) {
                faults.push(`${sign} is due: ${td.ariaLabel}`);
              }
              if ((td.querySelector('.derived') !== null) !== derived > 0) {
                faults.push(`${derived} derived: ${td.ariaLabel}`);
              }
              const shown = td.querySelector('.n').innerText.split('/');
              if ((shown.length > 1 ? Number(shown[0]) : 0) !== bad) {
                faults.push(td.ariaLabel);
              }
            }
            return faults;
        })()'''), [])

    def test_a_click_opens_a_cell_and_then_a_case(self):
        self.open_failure()
        self.assertIn('fail', self.text('#panel .facts'))
        self.assertIn('./assay repro ', self.text('#panel .command code') +
                      self.text('#panel .scroll'))
        self.assertIn('aten.exp', self.text('#panel pre'))
        self.assertTrue(self.state('row') and self.state('case'))
        self.look()

    def test_every_form_of_witness_is_shown(self):
        """Bits, and the number line: got, admissible, exact."""
        forms = self.page.eval('''(() => {
            const first = new Map();
            for (let r = 0; r < recordCount; ++r) {
              const w = witnessOf(r);
              if (w && !first.has(w.got)) first.set(w.got, r);
            }
            return [...first.values()];
        })()''')
        self.assertEqual(len(forms), 8)
        lines = bits = 0
        for r in forms:
            self.page.eval(f'openCase({r})')
            self.assertIn('Witness', self.text('#panel .scroll'))
            lines += self.count('#panel .numberline')
            bits += self.count('#panel table.bits')
            inside = self.page.eval('''(() => {
                const line = document.querySelector('.numberline');
                if (!line) return true;
                const all = line.getBoundingClientRect();
                return [...line.children].every(node => {
                  const b = node.getBoundingClientRect();
                  return b.left >= all.left - 1 && b.right <= all.right + 1 &&
                      b.top >= all.top - 1 && b.bottom <= all.bottom + 1;
                });
            })()''')
            self.assertTrue(inside, self.text('#panel .witness'))
        self.assertEqual(lines, 7)  # not of a bool
        self.assertEqual(bits, 6)  # nor of integers

    def test_number_line_names_what_it_shows(self):
        record = self.page.eval(
            '[...Array(recordCount).keys()].find('
            'r => witnessOf(r)?.got.startsWith("0x3f80 "))')
        self.page.eval(f'openCase({record})')
        label = self.page.eval('document.querySelector(".numberline")'
                               '.getAttribute("aria-label")')
        self.assertIn('got 1;', label)
        self.assertIn('admissible 1.008', label)
        self.assertIn('exact value 1.0039', label)
        # The set is to the right of what came back, the exact value between.
        self.assertTrue(self.page.eval('''(() => {
            const x = s => document.querySelector('.numberline ' + s)
                .getBoundingClientRect().x;
            return x('.got') < x('line.exact') && x('line.exact') <
                x('circle.good');
        })()'''))

    def test_filters_combine_and_can_be_undone(self):
        total = self.page.eval('recordCount')
        self.go('#status=fail&dtype=bf16&kind=boundaries')
        self.page.wait('chosenRecords().length < recordCount')
        self.assertEqual(self.page.eval('''(() => {
            const want = [];
            for (let r = 0; r < recordCount; ++r) {
              const c = records.case[r];
              if (statusOf(r) === 'fail' &&
                  strings[cases.dtype[c]] === 'bf16' &&
                  names.kind[cases.kind[c]] === 'boundaries') want.push(r);
            }
            return want.length > 0 &&
                String(want) === String([...chosenRecords()]);
        })()'''), True)
        self.assertIn('fit the filters', self.text('#count'))
        self.page.click('document.querySelector("#reset")')
        self.page.wait(f'chosenRecords().length === {total}')

    def test_every_choice_of_every_filter_finds_something(self):
        for name in ('status', 'class', 'kind', 'family', 'dtype', 'subject'):
            for value in self.page.eval(
                    f'[...document.getElementById({name!r}).options]'
                    '.map(o => o.value)'):
                found = self.page.eval(
                    f'(go({{{name}: {value!r}}}, true), '
                    'chosenRecords().length)')
                self.assertGreater(found, 0, (name, value))
            self.page.eval(f'go({{{name}: ""}}, true)')

    def test_slash_searches_and_escape_clears(self):
        self.page.press('/')
        self.assertEqual(self.page.eval('document.activeElement.id'), 'q')
        self.page.type('op_007/ avx2')
        self.page.wait('state.q === "op_007/ avx2"')
        self.assertEqual(self.count('.matrix tbody th[scope=row]'), 1)
        self.page.press('Escape')
        self.page.wait('state.q === ""')
        self.page.press('Escape')
        self.assertNotEqual(self.page.eval('document.activeElement.id'), 'q')

    def test_search_with_nothing_to_find(self):
        self.go('#q=no such thing')
        self.page.wait('document.querySelector(".empty")')
        self.look()

    def test_keys_move_open_and_close(self):
        self.page.eval('document.querySelector("td[tabindex=\'0\']").focus()')
        first = self.focus()
        self.page.press('ArrowRight')
        self.page.press('ArrowDown')
        self.assertNotEqual(self.focus(), first)
        self.page.press('ArrowLeft')
        self.page.press('ArrowUp')
        self.assertEqual(self.focus(), first)
        self.page.press('End')
        self.page.press('Home')
        self.assertEqual(self.focus(), first)
        self.page.press('ArrowLeft')  # there is nothing: stays
        self.assertEqual(self.focus(), first)
        self.assertEqual(self.count('td[tabindex="0"]'), 1)
        self.page.press('ArrowDown', 3)
        here = self.focus()
        self.page.press('Enter')
        self.page.wait('document.activeElement.matches("#panel .list")')
        self.page.press('ArrowDown')
        self.page.press('Enter')
        self.page.wait('state.case !== ""')
        self.page.press('Escape')
        self.page.wait('state.case === "" && state.row !== ""')
        self.page.press('Escape')
        self.page.wait('state.row === ""')
        self.assertEqual(self.focus(), here)

    def test_focused_cells_are_not_behind_the_headings(self):
        self.page.resize(950, 600)
        self.page.eval('document.querySelector("td[tabindex=\'0\']").focus()')
        for key, times in (('ArrowDown', 60), ('ArrowUp', 25),
                           ('ArrowRight', 9), ('ArrowLeft', 6)):
            for _ in range(times):
                self.page.press(key)
            self.assertTrue(self.page.eval('''(() => {
                const b = document.activeElement.getBoundingClientRect();
                return [[b.left + 4, b.top + 6], [b.right - 4, b.bottom - 6]]
                    .every(([x, y]) => document.activeElement.contains(
                        document.elementFromPoint(x, y)));
            })()'''), (key, self.focus()))

    def test_an_address_opens_what_it_was_copied_from(self):
        self.open_failure()
        address = self.page.eval('location.hash')
        title = self.text('#panel h2')
        self.page.call('Page.navigate', url='about:blank')
        self.page.call('Page.navigate', url=self.page.url + address)
        self.page.wait('document.querySelector("#panel .facts")')
        self.assertEqual(self.text('#panel h2'), title)
        self.assertEqual(self.count('td.open'), 1)

    def test_back_goes_back(self):
        self.open_failure()
        self.page.eval('history.back()')
        self.page.wait('state.case === "" && state.row !== ""')
        self.page.eval('history.back()')
        self.page.wait('state.row === ""')
        self.assertTrue(self.page.eval('byId("panel").hidden'))

    def test_foreign_addresses_show_what_there_is(self):
        for address in ('#row=none&column=none&case=none', '#view=none',
                        '#row=op_001&column=none', '#status=none',
                        '#class=none&q=%', '#fold=%0A%0A&kind=none', '#%%%',
                        '#row=op_001&column=eager/cpu&case=none'):
            self.go(address)
            self.page.wait('document.querySelector("main").children.length')
            self.look()

    def test_groups_and_families_fold(self):
        columns = self.count('.matrix thead tr:last-child th')
        rows = self.count('.matrix tbody tr')
        self.page.click('document.querySelector("th.group .fold")')
        self.page.wait(
            'document.querySelector(".group .fold[aria-expanded=false]")')
        self.assertLess(self.count('.matrix thead tr:last-child th'), columns)
        self.assertTrue(self.page.eval(
            'document.activeElement.matches(".fold")'))
        self.page.click('document.querySelector(".family .fold")')
        self.page.wait('document.querySelector(".family td")')
        self.assertLess(self.count('.matrix tbody tr'), rows)
        self.look()

    def test_targets_that_look_alike_are_one_column(self):
        heads = self.page.eval('[...document.querySelectorAll('
                               '"thead .target")].map(t => t.innerText)')
        self.assertIn('sm_75, 80, 90', heads)

    def test_versions_stand_side_by_side(self):
        versions = self.page.eval(
            'groups.find(g => g.key === "eager/cpu").columns'
            '.filter(p => p.target === "avx512").map(p => p.version)')
        self.assertEqual(versions, [f'2.{n}.0' for n in range(10, 16)])
        rows = self.count('.matrix tbody th[scope=row]')
        self.page.click('document.querySelector("#differ")')
        self.page.wait('state.differ === "1"')
        self.assertLess(self.count('.matrix tbody th[scope=row]'), rows)
        self.assertGreater(self.count('td .moved'), 0)

    def test_nothing_recorded_runs(self):
        record = self.page.eval(
            '[...Array(recordCount).keys()].find('
            'r => strings[records.link[r]].startsWith("javascript:"))')
        self.page.eval(f'openCase({record})')
        self.assertIn('<img src=x', self.text('#panel .verdict'))
        self.assertEqual(self.count('#panel a[href^="javascript"]'), 0)
        for view in ('matrix', 'cases', 'errors', 'sweeps', 'summary'):
            self.page.eval(f'go({{view: {view!r}}})')
        self.assertEqual(self.page.eval('typeof window.hostile'), 'undefined')
        self.assertEqual(self.count('img'), 0)

    def test_every_view_is_laid_out(self):
        for view in ('matrix', 'cases', 'errors', 'sweeps', 'summary'):
            for width, height in ((1440, 900), (1024, 700), (2200, 1200),
                                  (700, 900), (380, 720)):
                self.page.resize(width, height)
                self.go(f'#view={view}')
                self.page.wait(f'byId("main").dataset.view === {view!r}')
                with self.subTest(view=view, width=width):
                    self.look()

    def test_histograms_count_every_case_with_values(self):
        self.go('#view=errors')
        self.page.wait('document.querySelector(".histogram")')
        self.assertEqual(self.count('.histogram'),
                         self.page.eval('columns.length'))
        self.assertTrue(self.page.eval('''(() => {
            const shown = [...document.querySelectorAll('.histogram .count')]
                .reduce((n, t) => n + Number(t.textContent), 0);
            return shown === errorBins().reduce(
                (n, b) => n + b.reduce((a, c) => a + c, 0), 0) && shown > 0;
        })()'''))

    def test_sweeps_are_plotted(self):
        self.go('#view=sweeps')
        self.page.wait('document.querySelectorAll("svg.sweep").length === 2')
        text = self.text('main')
        self.assertIn('4,294,967,296 inputs', text)
        self.assertIn('✗ 49 outside of exp/A1', text)
        self.assertIn('largest at 0x42b17218', text)
        # The broken parts are those of 2^23 to 2^29 or so: right of the middle.
        self.assertTrue(self.page.eval('''(() => {
            const plot = document.querySelector('svg.sweep');
            const all = plot.getBoundingClientRect();
            const bad = plot.querySelector('path.bad').getBoundingClientRect();
            return bad.width > 0 && bad.left > all.left + all.width / 2;
        })()'''))

    def test_dark_mode_is_dark_and_legible(self):
        for scheme, dark in (('light', False), ('dark', True)):
            self.page.media(scheme=scheme)
            self.assertEqual(self.page.eval(
                'getComputedStyle(document.body).backgroundColor.match('
                '/\\d+/g).every(c => c < 60)'), dark)
            for address in ('#view=matrix', '#view=summary', '#view=errors',
                            '#view=cases&status=any failure'):
                self.go(address)
                self.page.wait(f'location.hash === {address!r}.replace('
                               '" ", "%20") || true')
                with self.subTest(scheme=scheme, address=address):
                    self.assertEqual(self.page.eval(CONTRAST), [])
            self.go('#')
            self.open_failure()
            self.assertEqual(self.page.eval(CONTRAST), [])
            self.go('#')

    def test_paper_has_the_matrix_and_no_controls(self):
        self.page.media(kind='print')
        self.assertEqual(self.page.eval(
            '["#filters", "#views"].filter(s => '
            'document.querySelector(s).checkVisibility())'), [])
        self.assertTrue(self.page.eval(
            'document.querySelector(".matrix").checkVisibility()'))
        # Nothing is cut off: the stage is as high as the matrix.
        self.assertTrue(self.page.eval(
            'byId("main").clientHeight >= '
            'document.querySelector(".matrix").clientHeight'))
        self.assertGreater(len(self.page.pdf()), 10_000)
        self.open_failure()
        self.assertFalse(self.page.eval('byId("main").checkVisibility()'))
        self.assertTrue(self.page.eval('byId("panel").checkVisibility()'))

    def test_everything_has_a_name(self):
        self.assertEqual(self.page.eval(NAMELESS), [])
        self.open_failure()
        self.assertEqual(self.page.eval(NAMELESS), [])
        self.assertTrue(self.page.eval('document.documentElement.lang'))

    def test_no_status_is_colour_alone(self):
        self.assertEqual(self.page.eval('''(() => {
            const seen = Object.values(looks).map(l => l.sign);
            return seen.length - new Set(seen).size;
        })()'''), 0)
        self.assertEqual(self.page.eval(
            '[...document.querySelectorAll("td")].filter('
            'td => !td.querySelector(".sign").innerText.trim()).length'), 0)


class LargePage(PageTest):
    def test_it_opens_soon_and_stays_light(self):
        ready = int(self.page.eval('document.documentElement.dataset.ready'))
        print(f'\n{self.page.eval("recordCount")} records, '
              f'{os.path.getsize(self.file)} bytes: ready after {ready} ms, '
              f'{self.page.cpu_seconds():.2f} s of CPU, '
              f'{self.count("*")} elements')
        self.assertLess(self.page.cpu_seconds(), OPEN)
        self.assertLess(self.count('*'), 40_000)

    def test_lists_have_lines_in_sight_alone(self):
        self.go('#view=cases')
        self.page.wait('document.querySelector(".cases .list .line")')
        self.assertLess(self.count('.cases .line'), 100)
        self.page.eval('document.querySelector(".list").focus()')
        self.page.press('End')
        self.page.wait('document.querySelector(".line.at").ariaPosInSet === '
                       'document.querySelector(".line.at").ariaSetSize')
        self.assertLess(self.count('.cases .line'), 200)
        self.page.press('Enter')
        self.page.wait('document.querySelector("#panel .facts")')
        self.look()

    def test_typing_is_not_held_up(self):
        self.page.press('/')
        slowest = 0
        for letter in 'op_0':
            begin = self.page.cpu_seconds()
            self.page.type(letter)
            self.page.wait(f'state.q.endsWith({letter!r})')
            self.page.eval('document.body.offsetHeight')
            slowest = max(slowest, self.page.cpu_seconds() - begin)
        self.assertEqual(self.page.eval('state.q'), 'op_0')
        print(f'\na letter of a search: {slowest:.2f} s of CPU')
        self.assertLess(slowest, FOLLOW)


class RealPage(PageTest):
    """Of a real run: a compiler that flushes subnormals beside a right one."""

    def test_the_defect_can_be_found_and_read(self):
        self.assertIn('does not conform', self.text('h1'))
        self.page.press('/')
        self.page.type('defect=')
        self.page.wait('state.q === "defect="')
        self.open_failure()
        text = self.text('#panel .scroll')
        for part in ('mul/A1', 'Witness', 'assay-program', 'aten.mul.Tensor',
                     '--subject \'bundled{defect=flush-subnormal}\'',
                     'The same case in all columns'):
            self.assertIn(part, text)
        self.assertEqual(self.count('.numberline'), 1)
        self.assertEqual(self.count('table.bits'), 1)
        self.look()

    def test_the_command_on_the_page_repeats_it(self):
        self.page.eval('go({status: "fail", view: "cases"})')
        self.page.wait('document.querySelector(".cases .list .line")')
        self.page.click('document.querySelector(".cases .list .line")')
        self.page.wait('document.querySelector("#panel .command")')
        words = self.page.eval('document.querySelector("#panel .command code")'
                               '.textContent')
        with tempfile.TemporaryDirectory() as folder:
            command = words.replace('./assay', ASSAY, 1)
            done = subprocess.run(
                f'{command} --no-known --out {folder}/out', shell=True,
                capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)


    def test_sweeps_of_the_folder_are_there(self):
        self.go('#view=sweeps')
        self.page.wait('document.querySelector("svg.sweep")')
        self.assertEqual(self.count('svg.sweep'), 1)
        self.assertIn('exp/f16', self.text('main'))
        self.assertIn('65,536 inputs', self.text('main'))
        self.look()


def make(command, *expected):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in expected:
        sys.exit(f'{command}: exit {done.returncode}\n{done.stderr}')


def make_pages(folder, sample):
    SmallPage.file = f'{folder}/small.html'
    LargePage.file = f'{folder}/large.html'
    RealPage.file = f'{folder}/real.html'
    make([sample, SmallPage.file, '4000'], 0)
    make([sample, LargePage.file, str(LARGE)], 0)
    make([ASSAY, 'run', 'mul/B1', 'neg', '--profile', 'full', '--no-known',
          '--subject', 'bundled', '--subject',
          'bundled{defect=flush-subnormal}', '--out', f'{folder}/run'], 1)
    make([ASSAY, 'exhaustive', 'exp', '--dtype', 'f16', '--subject',
          'bundled', '--out', f'{folder}/run'], 0)
    make([ASSAY, 'report', f'{folder}/run', '--html', RealPage.file], 1)


if __name__ == '__main__':
    if not BROWSER:
        print('skipped: there is no Chromium here; install the Debian package '
              'chromium-headless-shell, or name one with ASSAY_CHROMIUM')
        sys.exit(77)
    SAMPLE, ASSAY = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as work:
        make_pages(work, SAMPLE)
        unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=1)
