import { describe, expect, it } from 'vitest';
import { stranger, usersHere } from './stranger.ts';

const task = `
apiVersion: tekton.dev/v1
kind: Task
metadata:
  name: hardened
spec:
  results:
    - name: user
  steps:
    - name: work
      image: bash
      securityContext:
        runAsUser: 65532
        runAsNonRoot: true
        allowPrivilegeEscalation: false
        capabilities:
          drop: [ALL]
      script: id -u | tee $(results.user.path)
`;

describe.each(usersHere())('a hardened step, run by a user that is %s', (user) => {
  it('runs as the user it names, without capabilities', async () => {
    await using me = stranger({ user });
    const { code, out, err } = await me.tektite('run', '-f', me.write('task.yaml', task));
    expect({ code, out, err }).toMatchObject({ code: 0, out: expect.stringContaining('user = 65532') });
    expect(me.left()).toEqual([]);
  });
});
