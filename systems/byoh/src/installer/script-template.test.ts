import { describe, expect, it } from 'vitest';
import { renderTemplate } from './script-template.ts';

const values = { BundleDownloadPath: '/var/lib/byoh', Other: "a & 'b' + <c>" };

describe('a script with variables', () => {
  it.each([
    ['cd {{.BundleDownloadPath}}', 'cd /var/lib/byoh'],
    ['cd {{ .BundleDownloadPath }}/x', 'cd /var/lib/byoh/x'],
    ['cd   {{- .BundleDownloadPath -}}  \n x', 'cd/var/lib/byohx'],
    ['{{.Other}}{{.Other}}', "a & 'b' + <c>a & 'b' + <c>"],
    ['docker ps --format {{"{{"}}.Names}}', 'docker ps --format {{.Names}}'],
    ['nothing } to { do }}', 'nothing } to { do }}'],
    ['', ''],
  ])('%j becomes %j', (text, expected) => {
    expect(renderTemplate(text, values)).toBe(expected);
  });

  it.each([
    ['a\nb {{.Foo}}', 'line 2: there is no variable Foo; known are BundleDownloadPath, Other'],
    ['{{ ds.meta_data.hostname }}', 'line 1: "{{ ds.meta_data.hostname }}" is not understood; only {{.Name}} is'],
    ['\n\n{{if .Other}}', 'line 3: "{{if .Other}}" is not understood'],
    ['{{.Other', 'line 1: "{{.Other" is not understood'],
    ['{{.__proto__}}', 'there is no variable __proto__'],
    ['{{.constructor}}', 'there is no variable constructor'],
  ])('%j is refused', (text, message) => {
    expect(() => renderTemplate(text, values)).toThrow(message);
  });

  it('is read in one pass, whatever it is made of', () => {
    const text = '{{'.repeat(50_000);
    expect(() => renderTemplate(text, values)).toThrow('line 1');
    expect(renderTemplate(' '.repeat(200_000) + '{{.Other}}', { Other: 'x' })).toHaveLength(200_001);
  });
});
