import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AndroidDriver } from '../../../src/devices/driver/android-driver.ts'
import { DeviceShell } from '../../../src/devices/shell/device-shell.ts'
import { OperationFailure } from '../../../src/devices/adb/operation-failure.ts'
import { buildCommand } from '../../../src/devices/adb/quoting.ts'
import { SOON } from './outcomes.ts'
import { rigKinds } from './rigs.ts'
import type { RigKind } from './rigs.ts'
import { startShellPhone } from './shell-phone.ts'

describe.each(rigKinds)('over $name', (kind) => {
  test('a thousand hostile arguments are passed exactly or refused, and none is executed', async () => {
    const { phone, shell } = await phoneWithTools(kind)
    const texts = fc.sample(hostileText(), 1000)
    const [sound, unsound] = [texts.filter(isSendable), texts.filter((text) => !isSendable(text))]
    for (const text of unsound) {
      expect(() => buildCommand('printf', '%s', text)).toThrow(OperationFailure)
    }
    for (const text of sound) {
      const { stdout, stderr, exitCode } = await shell.run(buildCommand('printf', '%s', text), SOON)
      expect(stdout.toString('utf8')).toBe(text)
      expect([stderr.toString(), exitCode]).toEqual(['', 0])
    }
    expect(unsound.length).toBeGreaterThan(0)
    expect(await phone.traces()).toEqual([])
  })

  test('hostile texts are typed exactly or refused before the first key', async () => {
    const { phone, driver } = await phoneWithTools(kind)
    const texts = fc.sample(hostileText(), 150)
    const typeable = texts.filter((text) => /^(?:[\t\n\x20-\x7e]|\r\n)*$/.test(text))
    for (const text of typeable) await driver.enterText(text, SOON)
    for (const text of texts.filter((each) => !typeable.includes(each))) {
      const outcome = await driver.enterText(text, SOON).then(() => 'typed', code)
      expect(outcome).toBe(isSendable(text) ? 'TEXT_UNSUPPORTED' : 'INVALID_ARGUMENT')
    }
    const expected = typeable.join('').replaceAll('\r\n', '\n')
    expect((await phone.calls('input')).map(readPressedKeys).join('')).toBe(expected)
    expect(typeable.length).toBeGreaterThan(20)
    expect(await phone.traces()).toEqual([])
  })

  test('hostile package names and links are passed as one argument', async () => {
    const { phone, driver } = await phoneWithTools(kind)
    for (const text of fc.sample(hostileText(), 50)) {
      for (const call of [driver.openApp(text, SOON), driver.closeApp(text, SOON)]) {
        await expect(call).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
      }
    }
    const links = fc.sample(hostileText(), 50).map((text) => `https://example.test/${text}`)
    const sent = links.filter(isSendable)
    for (const link of links) await driver.openUri(link, SOON).catch(() => {})
    const calls = await phone.calls('am')
    expect(calls.map((args) => args.at(-1))).toEqual(sent)
    expect(calls.every((args) => args.length === 6)).toBe(true)
    expect(await phone.traces()).toEqual([])
  })
})

async function phoneWithTools(kind: RigKind) {
  const phone = await startShellPhone('phone-1', { input: '', am: 'echo Status: ok', ime: '' })
  const rig = await kind.start([phone])
  const serial = rig.serial(phone)
  const shell = new DeviceShell(rig.client, serial)
  onTestFinished(() => shell.close())
  return { phone, shell, driver: new AndroidDriver(shell, { server: rig.server, serial }) }
}

/** Texts that create a file if a shell executes a part of them. */
function hostileText(): fc.Arbitrary<string> {
  const piece = fc.constantFrom(
    'touch pwned',
    '$(touch pwned)',
    '`touch pwned`',
    ';touch pwned;',
    '&& touch pwned',
    '\ntouch pwned\n',
    '>pwned',
    '$HOME',
    '${IFS}',
    '\r\n',
    '日本',
    '😀',
    '\ud800',
    'plain',
    ...'\'"\\|<~#%!*?(){}[ \t\r\0\x070-ü'.split(''),
    '%s',
  )
  return fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''))
}

function isSendable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text)
}

function code(error: unknown): string {
  return error instanceof OperationFailure ? error.code : String(error)
}

/** The text that one call of `input` types, parsed as Android does. */
function readPressedKeys(args: readonly string[]): string {
  const [kind, ...rest] = args
  if (kind === 'text') return (rest[0] ?? '').replaceAll('%s', ' ')
  return rest.map((key) => (key === '66' ? '\n' : '\t')).join('')
}
