import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  buildClearingCommands,
  buildTypingCommands,
  toUnsupportedText,
} from '../../../src/devices/driver/text-entry.ts'

test('spaces, quotes and shell characters are escaped for input', () => {
  expect(buildTypingCommands('a b')).toEqual(['input text a%sb'])
  expect(buildTypingCommands("it's $HOME")).toEqual([`input text 'it'\\''s%s$HOME'`])
  expect(buildTypingCommands('')).toEqual([])
})

test('line breaks and tabs become key events', () => {
  expect(buildTypingCommands('a\nb\r\n\tc')).toEqual([
    'input text a',
    'input keyevent 66',
    'input text b',
    'input keyevent 66',
    'input keyevent 61',
    'input text c',
  ])
})

test('a literal %s is split so that input does not convert it to a space', () => {
  expect(buildTypingCommands('%s')).toEqual(['input text %', 'input text s'])
  expect(buildTypingCommands('100% sure')).toEqual(['input text 100%%ssure'])
})

test('any ASCII text is typed exactly', () => {
  const unit = fc.constantFrom(...'%s \'"\\$`;|&<>(){}~#!?*-=\n\tab0'.split(''))
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 300 }), (text) => {
      const commands = buildTypingCommands(text) ?? ['refused']
      expect(commands.map(readPressedKeys).join('')).toBe(text)
    }),
  )
})

test('a character without a key refuses the whole text and is reported', () => {
  for (const text of ['héllo', '日本', 'ok 😀', 'a\rb', 'a\x07', 'a\x7f']) {
    expect(buildTypingCommands(text), text).toBeUndefined()
  }
  expect(toUnsupportedText('ok 😀')).toMatchObject({ code: 'TEXT_UNSUPPORTED', detail: 'U+1F600' })
  expect(toUnsupportedText('a\r\nb\rc')).toMatchObject({ detail: 'U+000D' })
})

test('clearing moves to the end of the line and deletes the given number of characters', () => {
  const commands = buildClearingCommands(230)
  expect(commands[0]).toBe('input keyevent 123')
  const deletes = commands
    .slice(1)
    .join(' ')
    .split(' ')
    .filter((word) => word === '67')
  expect(deletes).toHaveLength(230)
})

/** The text that a command line of `input` types, parsed as Android does. */
function readPressedKeys(line: string): string {
  const keys = /^input keyevent ([\d ]+)$/.exec(line)?.[1]
  if (keys) return keys.replaceAll('66', '\n').replaceAll('61', '\t').replaceAll(' ', '')
  const argument = line.slice('input text '.length)
  const quoted = argument.startsWith("'") ? argument.slice(1, -1).replaceAll(`'\\''`, "'") : argument
  return quoted.replaceAll('%s', ' ')
}
