import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Scratch } from '../test-support.ts';

const triggers = `
apiVersion: triggers.tekton.dev/v1beta1
kind: EventListener
metadata: {name: main}
spec:
  triggers:
  - name: push
    interceptors:
    - ref: {name: gitlab}
      params: [{name: secretRef, value: {secretName: hook, secretKey: token}}]
    - ref: {name: cel}
      params:
      - {name: filter, value: "body.ref == 'refs/heads/main'"}
      - {name: overlays, value: [{key: short, expression: body.after.truncate(7)}]}
    bindings: [{name: sha, value: $(extensions.short)}]
    template:
      spec:
        params: [{name: sha}]
        resourcetemplates:
        - apiVersion: tekton.dev/v1
          kind: TaskRun
          metadata: {name: build}
          spec: {taskSpec: {steps: [{name: say, image: busybox, script: echo building $(tt.params.sha)}]}}
---
apiVersion: v1
kind: Secret
metadata: {name: hook}
stringData: {token: secret}
`;
const event = JSON.stringify({ ref: 'refs/heads/main', after: '0123456789' });
const token = ['-H', 'X-Gitlab-Token: secret'];

describe('tektite trigger', () => {
  function start(): {
    readonly scratch: Scratch;
    trigger(...words: readonly string[]): ReturnType<Scratch['tektite']>;
  } {
    const scratch = new Scratch();
    writeFileSync(join(scratch.path, 'triggers.yaml'), triggers);
    return { scratch, trigger: (...words) => scratch.tektite(['trigger', '-f', 'triggers.yaml', ...words]) };
  }

  it('shows what interceptors answer, the values, and what is created', () => {
    const { scratch, trigger } = start();
    using _ = scratch;
    writeFileSync(join(scratch.path, 'event.json'), event);
    const { code, out, err } = trigger('-d', 'event.json', ...token);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Trigger default\/push \(EventListener main\)$/m);
    expect(out).toMatch(
      /^ {2}interceptor gitlab: continues\n {2}interceptor cel: continues\n {4}extensions.short = "0123456"$/m,
    );
    expect(out).toMatch(/^ {2}param sha = 0123456$/m);
    expect(out).toMatch(/^ {2}creates TaskRun default\/build as service account default$/m);
    expect(out).toMatch(/script: echo building 0123456$/m);
  });

  it('says who stopped an event, and with what', () => {
    const { scratch, trigger } = start();
    using _ = scratch;
    expect(trigger('-d', event)).toEqual({
      code: 1,
      out: 'Trigger default/push (EventListener main)\n  interceptor gitlab: stops: no X-Gitlab-Token header set (code 3)\n',
      err: '',
    });
    const json = JSON.parse(trigger('-d', '{"ref": "x"}', ...token, '-o', 'json').out);
    expect(json[0].interceptors[1].answer).toEqual({
      continue: false,
      status: { code: 9, message: "expression body.ref == 'refs/heads/main' did not return true" },
    });
  });

  it('runs what is created', () => {
    const { scratch, trigger } = start();
    using _ = scratch;
    const { code, out } = trigger('-d', event, ...token, '--run');
    expect(code).toBe(0);
    expect(out).toMatch(/\[say\] building 0123456/);
  });

  it.each([
    [['-d', 'none.json'], 'tektite: -d: none.json: there is no such file\n'],
    [['-d', '{}', '-H', 'nonsense'], 'tektite: -H must be "Name: value", not "nonsense"\n'],
    [
      ['-d', '{}', '-f', 'bad.yaml'],
      'tektite: Trigger t: validation failed: expected exactly one, got neither: spec.template.ref, spec.template.spec\n',
    ],
  ])('explains errors of its input: %j', (words, message) => {
    const { scratch, trigger } = start();
    using _ = scratch;
    const bad = 'apiVersion: triggers.tekton.dev/v1beta1\nkind: Trigger\nmetadata: {name: t}\nspec: {}\n';
    writeFileSync(join(scratch.path, 'bad.yaml'), bad);
    expect(trigger(...words)).toEqual({ code: 2, out: '', err: message });
  });
});
