import { describe, expect, it } from 'vitest';
import { stranger, usersHere } from './stranger.ts';

/** Twelve tasks in three chains, whose tree is taller than the screen below. */
const pipeline = `apiVersion: tekton.dev/v1
kind: PipelineRun
metadata: {name: tall}
spec:
  pipelineSpec:
    tasks:
${Array.from(
  { length: 12 },
  (_, index) => `    - name: task-${index}
      runAfter: [${index < 3 ? '' : `task-${index - 3}`}]
      taskSpec:
        steps:
          - {name: one, image: bash, script: "echo line ${index} of 日本語, which is longer than the terminal is wide; sleep 0.2"}
          - {name: two, image: bash, script: "sleep 0.2"}`,
).join('\n')}
`;

describe.each(usersHere())('a tree taller than the screen, for a user that is %s', (user) => {
  it('shows what runs, folds the rest, and leaves one tree and every line of the logs', async () => {
    await using me = stranger({ user });
    const terminal = await me.terminal({ columns: 60, rows: 14 });
    terminal.type(`tektite run ${me.write('tall.yaml', pipeline)}; echo "exit code $?"`);
    const during = await terminal.shows(/✓ \d+ completed/);
    expect(during).toMatch(/▶ task-\d+/);
    terminal.resize(50, 12);
    await terminal.shows(/exit code 0/);
    const history = terminal.history();
    expect(history.match(/[▶✓] tall/g)).toEqual(['✓ tall']);
    expect(history.match(/line \d+ of/g)).toHaveLength(12);
    expect(history).not.toContain('▶');
  });
});

describe('a line that is cut', () => {
  it('keeps its colours', async () => {
    await using me = stranger({ user: usersHere()[0] ?? 'root' });
    const terminal = await me.terminal({ columns: 30, rows: 20 });
    const name = 'a-task-with-a-name-that-is-longer-than-the-screen-is-wide';
    const task = `apiVersion: tekton.dev/v1\nkind: TaskRun\nmetadata: {name: ${name}}\nspec: {taskSpec: {steps: [{name: s, image: bash, script: "sleep 1.5"}]}}\n`;
    terminal.type(`tektite run ${me.write('long.yaml', task)}`);
    await terminal.shows(/▶ a-task-with.*…/);
    expect(terminal.screen({ colours: true })).toMatch(/\[33m(?:\u001b\[49m)?▶\S* a-task-with.*…/);
    await terminal.shows(/Succeeded/);
  });
});
