import { go, type Struct, type StructValue } from '@tektite/schema/struct';
import { UrlText } from './url-text.ts';

const addressableFields = {
  name: go.pointer(go.string()),
  url: go.pointer(UrlText),
  CACerts: go.pointer(go.string()),
  audience: go.pointer(go.string()),
};
export interface Addressable extends StructValue<typeof addressableFields> {}
export const Addressable: Struct<Addressable> = go.struct('v1.Addressable', addressableFields);
