/** The outcome of one scenario, for a CI system. */
export interface JunitCase {
  readonly name: string;
  readonly seconds: number;
  readonly failure?: { readonly message: string; readonly text: string };
}

/** The report in the form of JUnit. */
export function formatJunit(suite: string, cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ failure }) => failure).length;
  const lines = cases.map(({ name, seconds, failure }) => {
    const head = `  <testcase classname="${escape(suite)}" name="${escape(name)}" time="${seconds.toFixed(3)}"`;
    if (!failure) return `${head}/>`;
    return `${head}>\n    <failure message="${escape(failure.message)}">${escape(failure.text)}</failure>\n  </testcase>`;
  });
  const head = `<testsuite name="${escape(suite)}" tests="${cases.length}" failures="${failures}">`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...lines, '</testsuite>', ''].join('\n');
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, '?');
}
