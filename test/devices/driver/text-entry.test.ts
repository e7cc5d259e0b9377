import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  clearingCommands,
  typingCommands,
  unsupportedText,
} from '../../../src/devices/driver/text-entry.ts'

test('spaces, quotes and shell characters are written so that input types them', () => {
  expect(typingCommands('a b')).toEqual(['input text a%sb'])
  expect(typingCommands("it's $HOME")).toEqual([`input text 'it'\\''s%s$HOME'`])
  expect(typingCommands('')).toEqual([])
})

test('line ends and tabs become key events', () => {
  expect(typingCommands('a\nb\r\n\tc')).toEqual([
    'input text a',
    'input keyevent 66',
    'input text b',
    'input keyevent 66',
    'input keyevent 61',
    'input text c',
  ])
})

test('a literal %s is cut so that input does not read it as a space', () => {
  expect(typingCommands('%s')).toEqual(['input text %', 'input text s'])
  expect(typingCommands('100% sure')).toEqual(['input text 100%%ssure'])
})

test('whatever ASCII is asked for, the keys pressed spell it', () => {
  const unit = fc.constantFrom(...'%s \'"\\$`;|&<>(){}~#!?*-=\n\tab0'.split(''))
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 300 }), (text) => {
      const commands = typingCommands(text) ?? ['refused']
      expect(commands.map(pressed).join('')).toBe(text)
    }),
  )
})

test('a character without a key refuses the whole text and names the character', () => {
  for (const text of ['héllo', '日本', 'ok 😀', 'a\rb', 'a\x07', 'a\x7f']) {
    expect(typingCommands(text), text).toBeUndefined()
  }
  expect(unsupportedText('ok 😀')).toMatchObject({ code: 'TEXT_UNSUPPORTED', detail: 'U+1F600' })
  expect(unsupportedText('a\r\nb\rc')).toMatchObject({ detail: 'U+000D' })
})

test('clearing goes to the end of the line and deletes as many characters as asked', () => {
  const commands = clearingCommands(230)
  expect(commands[0]).toBe('input keyevent 123')
  const deletes = commands
    .slice(1)
    .join(' ')
    .split(' ')
    .filter((word) => word === '67')
  expect(deletes).toHaveLength(230)
})

/** What Android's `input` would press for a command line, read as its source does. */
function pressed(line: string): string {
  const keys = /^input keyevent ([\d ]+)$/.exec(line)?.[1]
  if (keys) return keys.replaceAll('66', '\n').replaceAll('61', '\t').replaceAll(' ', '')
  const argument = line.slice('input text '.length)
  const quoted = argument.startsWith("'")
    ? argument.slice(1, -1).replaceAll(`'\\''`, "'")
    : argument
  return quoted.replaceAll('%s', ' ')
}
