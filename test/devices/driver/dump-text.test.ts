import { expect, test } from 'vitest'
import { parseDumpOutput } from '../../../src/devices/shell/dump-text.ts'

const XML = `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0"><node text="ERROR: could not get idle state." bounds="[0,0][1,1]" /></hierarchy>`
const DUMPED = 'UI hierchary dumped to: /data/local/tmp/x.xml\n'

test('a complete dump is returned unchanged, whatever text it contains', () => {
  expect(read(DUMPED + XML)).toEqual({ outcome: 'ok', xml: XML })
})

test('text around the XML is removed', () => {
  const noisy = `WARNING: linker: unsupported flags\n${DUMPED}${XML}\ntrailing text\n`
  expect(read(noisy)).toEqual({ outcome: 'ok', xml: XML })
  expect(read(`${XML}${DUMPED}`)).toEqual({ outcome: 'ok', xml: XML })
  const bare = XML.slice(XML.indexOf('<hierarchy'))
  expect(read(`noise\n${bare}`)).toEqual({ outcome: 'ok', xml: bare })
})

test.each([
  ['ERROR: could not get idle state.\n', 'not_idle'],
  ['ERROR: null root node returned by UiTestAutomationBridge.\n', 'null_root'],
  [
    'java.lang.IllegalStateException: UiAutomationService android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@1 already registered!\n',
    'other_client',
  ],
  ['Killed\n', 'killed'],
  ['ERROR: something never seen before\n', 'unreadable'],
  ['/system/bin/sh: uiautomator: not found\n', 'unreadable'],
] as const)('%j is detected on either stream although the exit code is 0', (text, kind) => {
  expect(read(text)).toMatchObject({ outcome: 'failed', kind, text: text.trim() })
  expect(read('', text)).toMatchObject({ outcome: 'failed', kind, text: text.trim() })
})

test('an error with an old file is a failure', () => {
  expect(read(`ERROR: could not get idle state.\n${XML}`)).toMatchObject({ kind: 'not_idle' })
})

test('no output at all is a crash, not an empty screen', () => {
  expect(read('')).toMatchObject({ outcome: 'failed', kind: 'crashed' })
  expect(read(DUMPED, 'cat: /data/local/tmp/x.xml: No such file or directory\n')).toMatchObject({
    outcome: 'failed',
    kind: 'crashed',
  })
})

test('a killed dump is also detected by its exit code', () => {
  expect(read('', '', 137)).toMatchObject({ outcome: 'failed', kind: 'killed' })
})

test('incomplete XML is a failure', () => {
  for (let length = XML.indexOf('<hierarchy') + 11; length < XML.length; length += 7) {
    expect(read(DUMPED + XML.slice(0, length))).toMatchObject({
      outcome: 'failed',
      kind: 'truncated',
    })
  }
})

function read(stdout: string, stderr = '', exitCode = 0) {
  return parseDumpOutput({ stdout: Buffer.from(stdout), stderr: Buffer.from(stderr), exitCode })
}
