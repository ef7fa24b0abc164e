import { virtualClock } from '@tektite/testkit';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { LiveView } from './live-view.ts';

it('the tree of a run shows how far pulls of images are, until they are complete', async () => {
  const clock = virtualClock();
  let written = '';
  const terminal = { columns: 120, rows: 24, write: (text: string) => void (written += text) };
  using view = new LiveView(terminal, clock);
  view.changed([], { of: () => undefined } as never);
  const pull = { name: 'docker.io/library/node:22', total: 2_000_000, layers: 2 };
  view.pulling({ ...pull, bytes: 500_000, layersComplete: 0 });
  await clock.advance(200);
  expect(stripVTControlCharacters(written)).toContain('pulling docker.io/library/node:22  ██████░░');
  expect(stripVTControlCharacters(written)).toContain('500 kB of 2 MB, 0 of 2 layers');
  view.pulling({ ...pull, bytes: 2_000_000, layersComplete: 2 });
  written = '';
  await clock.advance(200);
  expect(written).not.toContain('pulling');
});
