import type { Finding } from './judge.ts';

const maxText = 1500;

/** A finding for people: the operations, and what each server answered to the last. */
export function describeFinding({ seed, sequence, difference }: Finding): string {
  const operations = sequence.operations.map(({ method, path, ...rest }, index) => {
    const marker = index === difference.index ? '→' : ' ';
    return `${marker} ${method} ${path} ${cut(JSON.stringify(rest))}`;
  });
  const places = difference.differences
    .slice(0, 6)
    .map(
      ({ at, reference, subject }) =>
        `    ${at}\n      reference: ${cut(JSON.stringify(reference))}\n      subject:   ${cut(JSON.stringify(subject))}`,
    );
  const codes = `${difference.reference.code} and ${difference.subject.code}`;
  return [`seed ${seed}, ${sequence.name}: answers ${codes} differ`, ...operations, ...places].join('\n');
}

function cut(text: string | undefined): string {
  if (text === undefined) return 'absent';
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text;
}
