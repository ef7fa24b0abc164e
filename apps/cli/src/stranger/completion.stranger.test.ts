import { describe, expect, it } from 'vitest';
import { stranger, usersHere } from './stranger.ts';

const [user = 'ordinary'] = usersHere('ordinary');

describe('completion', () => {
  it('completes in bash', async () => {
    await using me = stranger({ user });
    const line = `source <(tektite completion bash)
COMP_WORDS=(tektite list -o ''); COMP_CWORD=3; _tektite; echo "\${COMPREPLY[@]}"
COMP_WORDS=(tektite delete ru); COMP_CWORD=2; _tektite; echo "\${COMPREPLY[@]}"`;
    expect(await me.sh(line)).toMatchObject({ code: 0, out: 'text wide json name\nrun\n', err: '' });
  });

  it('completes at the prompt of bash', async () => {
    await using me = stranger({ user });
    const terminal = await me.terminal();
    terminal.type('source <(tektite completion bash)');
    await terminal.shows(/\$ $/m);
    terminal.keys('-l', 'tektite versio');
    terminal.keys('Tab');
    await terminal.shows(/\$ tektite version /);
  });

  it('completes at the prompt of zsh', async () => {
    await using me = stranger({ user });
    const terminal = await me.terminal();
    terminal.type('PS1="zsh> " zsh -f');
    await terminal.shows(/^zsh> /m);
    terminal.type('autoload -U compinit; compinit -D -u; source <(tektite completion zsh); echo loaded');
    await terminal.shows(/^loaded/m);
    terminal.keys('-l', 'tektite versio');
    terminal.keys('Tab');
    await terminal.shows(/zsh> tektite version /);
  });

  it('completes in fish', async () => {
    await using me = stranger({ user });
    const line = 'tektite completion fish | source; complete -C "tektite ver"';
    const { out } = await me.run(['fish', '--no-config', '-c', line]);
    expect(out).toMatch(/^verify\tcheck .*$/m);
    expect(out).toMatch(/^version\tprint .*$/m);
  });
});
