import { parseJson } from '@tektite/meta';
import type { WatchEvent, WatchReader, WatchSource } from '../request/api-response.ts';

/** The events of a watch of another server: one JSON document for each line. */
export function jsonLines(bytes: AsyncIterable<Uint8Array> & { destroy(): unknown }): WatchSource {
  let stopped = false;
  const read = async (reader: WatchReader): Promise<void> => {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of bytes) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '' && !stopped) reader.push(parseJson(line) as WatchEvent);
    }
  };
  return {
    start(reader) {
      const end = () => {
        if (!stopped) reader.end();
      };
      read(reader).then(end, end);
    },
    stop() {
      stopped = true;
      bytes.destroy();
    },
  };
}
