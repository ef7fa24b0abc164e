import { expect, it } from 'vitest';
import { HeaderCodec } from './header-codec.ts';

it('compresses with the dictionary of SPDY 3, which clients know by its checksum', async () => {
  using codec = new HeaderCodec();
  const first = await codec.encode(new Map());
  expect(first.subarray(0, 6).toString('hex')).toBe('78bbe3c6a7c2');
});

it('reads what another codec wrote, block after block', async () => {
  using writer = new HeaderCodec();
  using reader = new HeaderCodec();
  for (let i = 0; i < 50; i++) {
    const headers = new Map([
      ['streamtype', i % 2 ? 'data' : 'error'],
      ['port', String(i)],
    ]);
    expect(await reader.decode(await writer.encode(headers))).toEqual(headers);
  }
});
