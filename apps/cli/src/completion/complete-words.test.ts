import { Argument, Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { completeWords } from './complete-words.ts';

function program(): Command {
  const shop = new Command('shop').option('--debug', 'print more');
  shop
    .command('open')
    .description('open the shop')
    .option('-f, --file <file>', 'the catalogue')
    .addOption(new Option('-o, --output <form>', 'the form').choices(['text', 'json']));
  shop.command('logs').argument('[run]');
  shop.command('close').addArgument(new Argument('<door>').choices(['front', 'back']));
  shop.command('new').command('order').description('begin an order');
  shop.command('secret', { hidden: true });
  return shop;
}

describe('completion', () => {
  it.each([
    [[''], ['open', 'logs', 'close', 'new']],
    [['op'], ['open']],
    [
      ['open', '--'],
      ['--file', '--output', '--help'],
    ],
    [
      ['open', '-o', ''],
      ['text', 'json'],
    ],
    [['open', '--output', 'j'], ['json']],
    [['open', '-f', 'x.yaml', '--o'], ['--output']],
    [['close', 'b'], ['back']],
    [['new', ''], ['order']],
    [['new', 'order', 'x', ''], []],
  ])('of %j offers %j', (words, offered) => {
    const found = completeWords(program(), words);
    expect(Array.isArray(found) ? found.map(({ value }) => value) : found).toEqual(offered);
  });

  it('leaves files and names of runs to those who know them', () => {
    expect(completeWords(program(), ['open', '-f', ''])).toBe('file');
    expect(completeWords(program(), ['logs', 'he'])).toBe('run');
  });

  it('describes what it offers', () => {
    expect(completeWords(program(), ['op'])).toEqual([{ value: 'open', description: 'open the shop' }]);
  });
});
