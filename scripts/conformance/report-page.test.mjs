import { expect, it } from 'vitest';
import { readReports, renderPage } from './report-page.mjs';

const spec = (name, status) =>
  `<testcase name="${name}" classname="Kubernetes e2e suite" status="${status}" time="1.5">`;
const report = (...cases) =>
  `<?xml version="1.0"?><testsuites><testsuite>${cases.join('</testcase>')}</testsuite></testsuites>`;
const mounts = '[It] [sig-node] Pods should have &lt;data&gt; &#34;mounted&#34; [Conformance]';
const nodes = '[It] [sig-apps] Sets need two nodes [Conformance]';

const notes = {
  version: '1.36.4',
  how: ['One node.'],
  images: { 'busybox:1': 'Debian’s busybox' },
  again: ['Run it again.'],
  reasons: { '[sig-apps] Sets need two nodes [Conformance]': 'there is one' },
};

it('reads the conformance specs of reports, of which the last that ran one counts', () => {
  const first = report(spec(mounts, 'failed'), spec(nodes, 'skipped'), spec('[It] [sig-node] Other', 'passed'));
  const again = report(spec(mounts, 'passed'), spec(nodes, 'skipped'));
  const none = report(spec(mounts, 'skipped'), spec(nodes, 'skipped'));
  expect(Object.fromEntries(readReports([first, again, none]))).toEqual({
    '[sig-node] Pods should have <data> "mounted" [Conformance]': 'passed',
    '[sig-apps] Sets need two nodes [Conformance]': 'not run',
  });
  expect(
    readReports([report(spec(mounts, 'timedout'))])
      .values()
      .next().value,
  ).toBe('failed');
  expect(() => readReports([report()])).toThrow('no conformance specs');
});

it('counts them by SIG, and names those that did not pass with their reasons', () => {
  const page = renderPage(readReports([report(spec(mounts, 'passed'), spec(nodes, 'skipped'))]), notes);
  expect(page).toContain('**1 of 2 specs pass**');
  expect(page).toContain('| apps | 0 | 0 | 1 |\n| node | 1 | 0 | 0 |');
  expect(page).toContain('## Not run\n\n- **[sig-apps] Sets need two nodes**: there is one\n');
  expect(page).not.toContain('## Failed');
});

it('refuses a spec that did not pass without a reason, and a reason for one that passed', () => {
  const failed = readReports([report(spec(mounts, 'failed'), spec(nodes, 'skipped'))]);
  expect(() => renderPage(failed, notes)).toThrow('no reason in the notes for:\n[sig-node] Pods');
  const passed = readReports([report(spec(mounts, 'passed'), spec(nodes, 'passed'))]);
  expect(() => renderPage(passed, notes)).toThrow('reasons for what passed or is unknown:\n[sig-apps] Sets');
});
