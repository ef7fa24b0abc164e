/**
 * Compiles the sandbox with the C compiler of this machine, when its sources have changed.
 *
 *   node build.mjs                            dist/sandbox, as `npm run build` wants it
 *   node build.mjs --output FILE --static     static or not at all: it runs on every distribution
 *   node build.mjs --output FILE --sanitize   with the address and undefined behaviour sanitizers
 *
 * The numbers of system calls are those of the compiler's headers. Without a compiler it says so in one line and succeeds:
 * everything but running containers works.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    output: { type: 'string' },
    static: { type: 'boolean', default: false },
    sanitize: { type: 'boolean', default: false },
  },
});

const folder = fileURLToPath(new URL('..', import.meta.url));
const sources = join(folder, 'src');
const output = options.output ?? join(folder, 'dist', 'sandbox');
const compiler = process.env.CC || 'cc';
const names = readdirSync(sources)
  .filter((name) => /\.[ch]$/.test(name))
  .sort();
const units = names.filter((name) => name.endsWith('.c'));

const warnings = ['-Wall', '-Wextra', '-Wshadow', '-Wconversion'];
const flags = ['-std=c11', '-D_GNU_SOURCE', '-O2', ...warnings, '-fstack-protector-strong'];
const ways = waysToCompile();

process.exitCode = build();

function build() {
  if (process.platform !== 'linux') return without('containers run on Linux only');
  const digest = fingerprint();
  if (digest === stored()) return 0;
  if (!works()) return without(`no C compiler works here (tried \`${compiler}\`)`);
  mkdirSync(dirname(output), { recursive: true });
  const included = writeSystemCalls();
  flags.push('-I', included);
  const failures = [];
  for (const way of ways) {
    const failure = compile(way);
    if (failure === undefined) {
      writeFileSync(`${output}.sources`, digest);
      console.log(`${basename(output)} compiled${way.includes('-static') ? ', static' : ''}`);
      rmSync(included, { recursive: true });
      return 0;
    }
    failures.push(failure);
  }
  console.error(failures[0]);
  return 1;
}

function waysToCompile() {
  if (options.static) return [['-Werror', '-static', '-s']];
  if (options.sanitize) return [['-Werror', '-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all']];
  const strict = [
    ['-Werror', '-static', '-s'],
    ['-Werror', '-s'],
  ];
  // A newer compiler may warn of something that this one does not know; that is no reason to leave users without it.
  return process.env.CI ? strict : [...strict, ['-static', '-s'], ['-s']];
}

/** The names and numbers of this machine's system calls, as a table that is sorted by name. Returns the folder of the file. */
function writeSystemCalls() {
  const source = '#include <sys/syscall.h>\n';
  const { stdout } = spawnSync(compiler, ['-E', '-dM', '-x', 'c', '-'], { input: source, encoding: 'utf8' });
  const found = [...stdout.matchAll(/^#define SYS_(\w+) /gm)].map(([, name]) => name).sort();
  const included = mkdtempSync(join(tmpdir(), 'sandbox-'));
  writeFileSync(join(included, 'syscalls.inc'), found.map((name) => `{"${name}", SYS_${name}},\n`).join(''));
  return included;
}

/** Writes beside the output and renames: a program that runs meanwhile is not disturbed. Returns what the compiler said. */
function compile(way) {
  const target = `${output}.new`;
  const result = spawnSync(compiler, [...flags, ...way, ...units, '-o', target], { cwd: sources, encoding: 'utf8' });
  if (result.status !== 0) return result.stderr || String(result.error);
  renameSync(target, output);
  return undefined;
}

/** A compiler without a C library is of no use. */
function works() {
  const temporary = mkdtempSync(join(tmpdir(), 'sandbox-'));
  const program = '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n';
  const result = spawnSync(compiler, ['-x', 'c', '-', '-o', join(temporary, 'probe')], { input: program });
  rmSync(temporary, { recursive: true, force: true });
  return result.status === 0;
}

function without(reason) {
  console.log(`sandbox not compiled: ${reason}; \`tektite run\` will say what to install`);
  return 0;
}

function fingerprint() {
  const hash = createHash('sha256').update(JSON.stringify([compiler, flags, ways]));
  for (const name of names) hash.update(`\0${name}\0`).update(readFileSync(join(sources, name)));
  return hash.digest('hex');
}

/** The fingerprint of what is there already, if the program is. */
function stored() {
  try {
    readFileSync(output);
    return readFileSync(`${output}.sources`, 'utf8');
  } catch {
    return undefined;
  }
}
