import { Cron } from 'croner';
import { goDurationToMilliseconds, parseGoDuration } from '@tektite/go';

/** The times of a CronJob. */
export interface Schedule {
  /** The first time after this one, in milliseconds; undefined when there is none. */
  after(milliseconds: number): number | undefined;
}

const every = /^@every\s+(.+)$/;
const zonePrefix = /^(?:TZ|CRON_TZ)=(\S+)\s+/;

/** Reads a schedule as upstream's cron does. Throws an Error for one that is not. */
export function parseSchedule(text: string, timeZone: string | undefined): Schedule {
  const zone = zonePrefix.exec(text);
  const plain = zone ? text.slice(zone[0].length) : text;
  const interval = every.exec(plain);
  if (interval) {
    const period = Math.max(1, Math.floor(goDurationToMilliseconds(parseGoDuration(interval[1] ?? '')) / 1000)) * 1000;
    return { after: (time) => Math.floor(time / 1000) * 1000 + period };
  }
  // A question mark is a star here; in croner it is the time at which it is read.
  const cron = new Cron(plain.replaceAll('?', '*'), { timezone: timeZone ?? zone?.[1] ?? 'Etc/UTC', paused: true });
  return { after: (time) => cron.nextRun(new Date(time))?.getTime() };
}
