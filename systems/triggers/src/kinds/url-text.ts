import { parsedTextDecoder } from '@tektite/go';
import { type Field, go } from '@tektite/schema/struct';
import { parseUrlReference } from '@tektite/schema';
import { quoteGo } from '@tektite/meta';

/** Knative's URL: a text that Go's `net/url` can read. */
export const UrlText: Field<string> = go.custom('apis.URL', 'string', () =>
  parsedTextDecoder((text) => {
    const parsed = parseUrlReference(text);
    if (typeof parsed === 'string') throw new Error(`parse ${quoteGo(text)}: ${parsed}`);
    return text;
  }),
);
