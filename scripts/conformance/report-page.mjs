/** The page about Kubernetes' conformance suite: read from the JUnit reports of its runs, and from the notes beside this file. */

/**
 * The conformance specs of reports, by name. Where several reports ran a spec, the last one counts.
 *
 * @returns {Map<string, 'passed' | 'failed' | 'not run'>}
 */
export function readReports(texts) {
  const specs = new Map();
  for (const text of texts) {
    for (const [, attributes] of text.matchAll(/<testcase\s([^>]*?)\/?>/g)) {
      const name = attribute(attributes, 'name').replace(/^\[It\] /, '');
      if (!name.includes('[Conformance]')) continue;
      const result = resultOf(attribute(attributes, 'status'));
      if (result !== 'not run' || !specs.has(name)) specs.set(name, result);
    }
  }
  if (specs.size === 0) throw new Error('the reports have no conformance specs');
  return specs;
}

function resultOf(status) {
  if (status === 'passed') return 'passed';
  return status === 'skipped' || status === 'pending' ? 'not run' : 'failed';
}

function attribute(attributes, name) {
  const [, value = ''] = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes) ?? [];
  return value.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (_, decimal, hex, entity) => {
    if (decimal || hex) return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16));
    return { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }[entity] ?? '';
  });
}

/** The text of docs/conformance.md. Every spec that did not pass has to have a reason in the notes, and no other. */
export function renderPage(specs, notes) {
  const rest = [...specs].filter(([, result]) => result !== 'passed').sort(byName);
  const missing = rest.filter(([name]) => !notes.reasons[name]).map(([name]) => name);
  if (missing.length > 0) throw new Error(`no reason in the notes for:\n${missing.join('\n')}`);
  const outdated = Object.keys(notes.reasons).filter((name) => !rest.some(([each]) => each === name));
  if (outdated.length > 0)
    throw new Error(`the notes have reasons for what passed or is unknown:\n${outdated.join('\n')}`);
  const passed = [...specs.values()].filter((result) => result === 'passed').length;
  const list = (result) =>
    rest.filter(([, each]) => each === result).map(([name]) => `- **${plain(name)}**: ${notes.reasons[name]}`);
  return `${[
    '# Conformance',
    '',
    '<!-- Written by scripts/conformance/generate-page.mjs. -->',
    '',
    `The conformance suite of Kubernetes ${notes.version} against \`tektite up\`: **${passed} of ${specs.size} specs pass**.`,
    '',
    ...table(specs),
    '',
    ...section('Failed', list('failed')),
    ...section('Not run', list('not run')),
    '## How it was run',
    '',
    ...notes.how.map((line) => `- ${line}`),
    '',
    'Images, by the names that the suite uses:',
    '',
    '| Image | Was |',
    '|---|---|',
    ...Object.entries(notes.images).map(([image, what]) => `| \`${image}\` | ${what} |`),
    '',
    ...notes.again,
  ].join('\n')}\n`;
}

function table(specs) {
  const rows = new Map();
  for (const [name, result] of specs) {
    const [, sig = 'none'] = /^\[(sig-[\w-]+)\]/.exec(name) ?? [];
    const row = rows.get(sig) ?? { passed: 0, failed: 0, 'not run': 0 };
    row[result] += 1;
    rows.set(sig, row);
  }
  return [
    '| SIG | Passed | Failed | Not run |',
    '|---|---:|---:|---:|',
    ...[...rows]
      .sort(byName)
      .map(([sig, row]) => `| ${sig.replace(/^sig-/, '')} | ${row.passed} | ${row.failed} | ${row['not run']} |`),
  ];
}

function section(title, lines) {
  return lines.length === 0 ? [] : [`## ${title}`, '', ...lines, ''];
}

function plain(name) {
  return name.replace(/ ?\[(?:Conformance|NodeConformance|LinuxOnly|Serial|Slow)\]/g, '');
}

function byName([one], [other]) {
  return one < other ? -1 : 1;
}
