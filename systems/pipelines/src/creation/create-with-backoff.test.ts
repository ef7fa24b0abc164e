import { describe, expect, it } from 'vitest';
import { waitBackoffConfig } from '../config/wait-backoff-config.ts';
import { waitsOf } from './create-with-backoff.ts';

describe('the waits between creations', () => {
  it.each([
    ['of an absent ConfigMap', {}, [1000, 2000, 4000, 8000, 16_000]],
    ['of a new installation', { duration: '10s', factor: '2.0', steps: '5', cap: '60s' }, [10_000, 20_000]],
    ['with no cap', { duration: '1s', factor: '3', steps: '4', cap: '0s' }, [1000, 3000, 9000]],
    ['with no factor', { duration: '2s', factor: '0', steps: '3' }, [2000, 2000]],
    ['of one attempt', { steps: '1' }, []],
  ])('%s are those of client-go', (_title, data, expected) => {
    expect([...waitsOf(waitBackoffConfig.parse(data as Record<string, string>))]).toEqual(expected);
  });

  it.each([
    [{ duration: 'soon' }, 'failed parsing duration "soon": time: invalid duration "soon"'],
    [{ factor: 'x' }, 'failed parsing factor "x": strconv.ParseFloat: parsing "x": invalid syntax'],
    [{ jitter: '' }, 'failed parsing jitter "": strconv.ParseFloat: parsing "": invalid syntax'],
    [{ steps: '1.5' }, 'failed parsing steps "1.5": strconv.Atoi: parsing "1.5": invalid syntax'],
    [{ cap: '60' }, 'failed parsing cap "60": time: missing unit in duration "60"'],
  ])('that cannot be used are refused: %o', (data, message) => {
    expect(() => waitBackoffConfig.parse(data as Record<string, string>)).toThrow(expect.objectContaining({ message }));
  });
});
