import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { OperationFailure } from '../../../src/devices/adb/operation-failure.ts'
import { buildCommand, requireInteger, requirePackageName, quoteArgument } from '../../../src/devices/adb/quoting.ts'

const run = promisify(execFile)

test('any text without NUL arrives in a shell unchanged', async () => {
  const texts = fc.sample(anyText(), 1000)
  const line = `printf '%s\\0' ${texts.map(quoteArgument).join(' ')}`
  const { stdout } = await run('/bin/sh', ['-c', line], { maxBuffer: 32 * 1024 * 1024 })
  expect(stdout.split('\0').slice(0, -1)).toEqual(texts)
})

test('shell syntax stays text', async () => {
  const hostile = ['$(id)', '`id`', 'a;id', "it's", '#general', '~/x', 'a\nb', '', '-n', '*', '!!', '%s']
  const { stdout } = await run('/bin/sh', ['-c', `printf '%s\\0' ${hostile.map(quoteArgument).join(' ')}`])
  expect(stdout.split('\0').slice(0, -1)).toEqual(hostile)
})

test('text that cannot be sent unchanged is refused', () => {
  expect(() => quoteArgument('a\0b')).toThrow(OperationFailure)
  expect(() => quoteArgument('a\ud83d')).toThrow(OperationFailure)
  expect(() => quoteArgument('\udc00b')).toThrow(OperationFailure)
})

test('plain arguments are not quoted, others are', () => {
  expect(buildCommand('input', 'tap', 12, 34)).toBe('input tap 12 34')
  expect(buildCommand('input', 'text', 'a b')).toBe("input text 'a b'")
  expect(buildCommand('echo', "it's")).toBe(`echo 'it'\\''s'`)
  expect(buildCommand('echo', '')).toBe("echo ''")
})

test('package names and integers are checked before they are used', () => {
  expect(requirePackageName('com.example.app_1')).toBe('com.example.app_1')
  for (const bad of ['', 'single', 'com..x', 'com.x;id', '1com.x', 'com.x ', 'com.x\n', '.com.x']) {
    expect(() => requirePackageName(bad), bad).toThrow(OperationFailure)
  }
  expect(requireInteger('x', 0)).toBe(0)
  for (const bad of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e9]) {
    expect(() => requireInteger('x', bad), String(bad)).toThrow(OperationFailure)
  }
})

function anyText(): fc.Arbitrary<string> {
  const shellish = fc.string({
    unit: fc.constantFrom(...'\'"`$\\;&|<>(){}[]*?!#~%= \t\n\r-abc01'.split(''), '$(', '${', '\\\n', '€', '😀'),
    maxLength: 30,
  })
  const unicode = fc.string({ unit: 'binary', maxLength: 30 })
  return fc.oneof(shellish, unicode).filter((text) => !text.includes('\0') && !/\p{Cs}/u.test(text))
}
