import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Lane, Place, type TerminationEntry } from './test-support.ts';

/** Bytes as Go reads them: every byte that is part of no character is U+FFFD. */
function asGoReads(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    let size = 0;
    for (let length = 1; length <= 4 && size === 0 && at + length <= bytes.length; length++) {
      try {
        text += decoder.decode(bytes.subarray(at, at + length));
        size = length;
      } catch {
        // Not a character of this length.
      }
    }
    if (size === 0) text += '\ufffd';
    at += size === 0 ? 1 : size;
  }
  return text;
}

/** The form of a string in Go's encoding/json. */
function asGoWrites(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Output that Node reads back: JSON strings, compressed messages. */
export function encodingCases(lane: () => Lane): void {
  let place: Place;
  beforeEach(() => {
    place = new Place(lane());
    place.write('/tekton/run/0/out');
  });
  afterEach(() => place.remove());

  const printed = async (values: readonly (string | Uint8Array)[]) => {
    const names = values.map((_, index) => `r${index}`);
    for (const [index, value] of values.entries()) place.write(`/tekton/results/r${index}`, value);
    const { stdout } = await place.run(['sidecarlogresults', '-result-names', names.join(','), '-step-results', '{}']);
    return stdout.split('\n').slice(0, -1);
  };

  test('strings are escaped as Go does it', async () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(texts, async (values) => {
        const lines = await printed(values);
        expect(lines).toEqual(
          values.map((value, index) => `{"name":"r${index}","value":${asGoWrites(value)},"type":"task"}`),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('every byte there is, alone and before others, comes out as Go shows it', async () => {
    const pairs = Array.from({ length: 256 }, (_, byte) =>
      Uint8Array.from([byte, 0x41, byte, 0xa0, byte, 0x80, 0x80, byte]),
    );
    const lines = await printed(pairs);
    expect(lines.map((line) => JSON.parse(line).value)).toEqual(pairs.map(asGoReads));
  });

  test('bytes that are not UTF-8 are replaced one by one', async () => {
    const values = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(values, async (values) => {
        const lines = await printed(values);
        expect(lines.map((line) => JSON.parse(line).value)).toEqual(values.map(asGoReads));
      }),
      { numRuns: 60 },
    );
  });

  /** The content of a compressed termination message. */
  const unpack = (message: string): TerminationEntry[] => {
    expect(message).toMatch(/^tknz:[A-Za-z0-9+/]+$/);
    return JSON.parse(inflateRawSync(Buffer.from(message.slice(5), 'base64')).toString());
  };

  const publish = async (value: string | Uint8Array) => {
    place.write('/tekton/termination');
    place.write('/tekton/results/r', value);
    return place.step(['-results', 'r', '-compress_termination_message=true'], ['true']);
  };

  const words = fc.array(fc.constantFrom('alpha', 'beta ', '\n', '"', 'a', 'long'.repeat(80), 'é', '0123456789'), {
    maxLength: 900,
  });

  test('a compressed message is restored by any inflate, also after more was added to it', async () => {
    await fc.assert(
      fc.asyncProperty(words, async (parts) => {
        const value = parts.join('');
        const { code } = await publish(value);
        expect(code).toBe(0);
        const message = place.read('/tekton/termination');
        expect(message.length).toBeLessThanOrEqual(4096);
        const entries: TerminationEntry[] = message.startsWith('tknz:') ? unpack(message) : JSON.parse(message);
        expect(entries.map(({ key }) => key)).toEqual(['r', 'StartedAt']);
        expect(entries[0]?.value).toBe(value);
      }),
      { numRuns: 80 },
    );
  });

  test('compression makes room for results of 17 kilobytes of text', async () => {
    const lines = Array.from(
      { length: 400 },
      (_, index) => `registry.example.com/project/image-${index % 40}:v1.${index}\n`,
    );
    const value = lines.join('');
    expect((await publish(value)).code).toBe(0);
    expect(value.length).toBeGreaterThan(17_000);
    expect(unpack(place.read('/tekton/termination'))[0]?.value).toBe(value);
  });

  test('compression is about as good as zlib at its best, for text and for digests', async () => {
    const hash = (index: number) => createHash('sha256').update(`${index}`).digest('hex');
    const digests = Array.from({ length: 60 }, (_, index) => `sha256:${hash(index)}\n`).join('');
    const prose = Array.from(
      { length: 120 },
      (_, index) => `image ${index} was pushed to registry-${index % 7}.example.com\n`,
    ).join('');
    for (const value of [digests, prose]) {
      expect((await publish(value)).code).toBe(0);
      const packed = Buffer.from(place.read('/tekton/termination').slice(5), 'base64');
      expect(packed.length).toBeLessThan(deflateRawSync(inflateRawSync(packed), { level: 9 }).length * 1.03);
    }
  });

  test('a message stays as it is where compression would not make it shorter', async () => {
    await publish('x');
    expect(place.message()[0]).toEqual({ key: 'r', value: 'x', type: 1 });
  });

  test.each(['tknz:', 'tknz:!!', 'tknz:AAAA', 'tknz:7cEBDQAAAMKg', `tknz:${'A'.repeat(60)}`])(
    'a damaged compressed message is replaced, with a warning: %s',
    async (message) => {
      place.write('/tekton/termination', message);
      const { code, stderr } = await place.step(['-compress_termination_message'], ['true']);
      expect(code).toBe(0);
      expect(stderr).toContain(
        'WARN Failed to parse existing termination message, previous results will be lost error=',
      );
      expect(place.message()).toHaveLength(1);
    },
  );

  test('any bytes in the place of a compressed message do no harm', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
        place.write('/tekton/termination', `tknz:${Buffer.from(bytes).toString('base64').replaceAll('=', '')}`);
        expect((await place.step(['-compress_termination_message'], ['true'])).code).toBe(0);
        expect(place.message().at(-1)?.key).toBe('StartedAt');
      }),
      { numRuns: 60 },
    );
  });
}
