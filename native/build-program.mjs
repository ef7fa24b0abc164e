/**
 * Compiles a program of this folder with the C compiler of this machine, when its sources have changed.
 *
 *   --output FILE     elsewhere than in its dist/
 *   --static          static or not at all: it runs on every distribution
 *   --sanitize        with the address and undefined behaviour sanitizers
 *   --debug           dynamic and with symbols, for valgrind
 *   --define NAME     a macro, for variants that only tests use
 *
 * Without a compiler it says so in one line and succeeds: everything but what needs the program works.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const compiler = process.env.CC || 'cc';
const warnings = ['-Wall', '-Wextra', '-Wshadow', '-Wconversion'];
const commonFlags = ['-std=c11', '-D_GNU_SOURCE', '-O2', ...warnings, '-fstack-protector-strong'];

/**
 * Compiles `folder/src/*.c` into `folder/dist/NAME`, NAME being that of the folder. Returns the exit code.
 *
 * `lacking` ends the line that is printed where nothing can be compiled.
 */
export function buildProgram(folder, words, lacking) {
  const { values: options } = parseArgs({
    args: words,
    options: {
      output: { type: 'string' },
      define: { type: 'string', multiple: true, default: [] },
      static: { type: 'boolean', default: false },
      sanitize: { type: 'boolean', default: false },
      debug: { type: 'boolean', default: false },
    },
  });
  const name = basename(folder);
  const output = options.output ?? join(folder, 'dist', name);
  const without = (reason) => {
    console.log(`${name} not compiled: ${reason}; ${lacking}`);
    return 0;
  };
  if (process.platform !== 'linux') return without('Pods run on Linux only');
  const sources = join(folder, 'src');
  const names = readdirSync(sources)
    .filter((each) => /\.[ch]$/.test(each))
    .sort();
  const flags = [...commonFlags, ...options.define.map((each) => `-D${each}`)];
  const ways = waysToCompile(options);
  const digest = fingerprint(sources, names, [compiler, flags, ways]);
  if (digest === stored(output)) return 0;
  if (!works()) return without(`no C compiler works here (tried \`${compiler}\`)`);
  mkdirSync(dirname(output), { recursive: true });
  const units = names.filter((each) => each.endsWith('.c'));
  const failures = [];
  for (const way of ways) {
    const failure = compile(sources, [...flags, ...way, ...units], output);
    if (failure === undefined) {
      writeFileSync(`${output}.sources`, digest);
      console.log(`${basename(output)} compiled${way.includes('-static') ? ', static' : ''}`);
      return 0;
    }
    failures.push(failure);
  }
  console.error(failures[0]);
  return 1;
}

function waysToCompile({ sanitize, debug, static: isStatic }) {
  if (isStatic) return [['-Werror', '-static', '-s']];
  if (sanitize) return [['-Werror', '-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all']];
  if (debug) return [['-Werror', '-g']];
  const strict = [
    ['-Werror', '-static', '-s'],
    ['-Werror', '-s'],
  ];
  // A newer compiler may warn of something that this one does not know; that is no reason to leave users without it.
  return process.env.CI ? strict : [...strict, ['-static', '-s'], ['-s']];
}

/** Writes beside the output and renames: a program that runs meanwhile is not disturbed. Returns the compiler's errors. */
function compile(sources, words, output) {
  const target = `${output}.new`;
  const result = spawnSync(compiler, [...words, '-o', target], { cwd: sources, encoding: 'utf8' });
  if (result.status !== 0) return result.stderr || String(result.error);
  renameSync(target, output);
  return undefined;
}

/** A compiler without a C library is of no use. */
function works() {
  const temporary = mkdtempSync(join(tmpdir(), 'compiler-'));
  const program = '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n';
  const result = spawnSync(compiler, ['-x', 'c', '-', '-o', join(temporary, 'probe')], { input: program });
  rmSync(temporary, { recursive: true, force: true });
  return result.status === 0;
}

function fingerprint(sources, names, settings) {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const name of names) hash.update(`\0${name}\0`).update(readFileSync(join(sources, name)));
  return hash.digest('hex');
}

/** The fingerprint of the program that is there already, if one is. */
function stored(output) {
  try {
    readFileSync(output);
    return readFileSync(`${output}.sources`, 'utf8');
  } catch {
    return undefined;
  }
}
