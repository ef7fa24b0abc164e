import { isIP } from 'node:net';

/** Neither the machine itself nor its link: an object's status must not open the way to what only this process reaches. */
export function isGlobalUnicast(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !/^(?:0\.|127\.|169\.254\.|22[4-9]\.|23\d\.|255\.255\.255\.255$)/.test(address);
  return family === 6 && !/^(?:::1?$|fe[89ab]|ff|::ffff:)/i.test(address);
}
