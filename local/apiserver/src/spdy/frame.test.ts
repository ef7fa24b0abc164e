import { seededRandom } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { dataHead, type Frame, FrameReader, ping, rstStream, SpdyError } from './frame.ts';

describe('the reader of frames', () => {
  it('reads the same frames however the bytes are cut', () => {
    const bytes = Buffer.concat([
      ping(7),
      dataHead(1, 5, false),
      Buffer.from('hello'),
      dataHead(3, 0, true),
      rstStream(1, 5),
      dataHead(5, 300, true),
      Buffer.alloc(300, 'x'),
    ]);
    const random = seededRandom(1);
    for (let round = 0; round < 200; round++) {
      const reader = new FrameReader();
      const frames: Frame[] = [];
      for (let at = 0; at < bytes.length; ) {
        const size = 1 + Math.floor(random.next() * 40);
        frames.push(...reader.read(bytes.subarray(at, at + size)));
        at += size;
      }
      const data = frames.flatMap((frame) => (frame.type === 'data' && frame.bytes.length > 0 ? [frame] : []));
      expect(Buffer.concat(data.map(({ bytes: part }) => part)).toString()).toBe(`hello${'x'.repeat(300)}`);
      expect(frames.filter(({ type }) => type !== 'data')).toEqual([
        { type: 'ping', id: 7 },
        { type: 'rstStream', streamId: 1, status: 5 },
      ]);
      expect(frames.flatMap((frame) => (frame.type === 'data' && frame.fin ? [frame.streamId] : []))).toEqual([3, 5]);
    }
  });

  it('holds no data of a frame that is not complete', () => {
    const reader = new FrameReader();
    const large = [...reader.read(Buffer.concat([dataHead(1, 0xff_ff_ff, true), Buffer.alloc(1000)]))];
    expect(large).toEqual([expect.objectContaining({ type: 'data', streamId: 1, fin: false })]);
  });

  it.each([
    ['another version', Buffer.from('8002000100000000', 'hex')],
    ['a frame of control that is too large', Buffer.from('8003000600ffffff', 'hex')],
    ['a frame that is too short', Buffer.from('800300060000000100', 'hex')],
    ['a reply, which clients do not send', Buffer.from('800300020000000400000001', 'hex')],
  ])('denies %s', (_, bytes) => {
    expect(() => [...new FrameReader().read(bytes)]).toThrow(SpdyError);
  });
});
