import { expect, test } from 'vitest'
import { parseLog, readDeviceLog } from '../../../src/devices/driver/device-log.ts'
import type { CommandRunner } from '../../../src/devices/shell/device-shell.ts'
import { OperationFailure } from '../../../src/devices/adb/operation-failure.ts'

const LIMITS = { timeoutMs: 1000 }
const line = (seconds: string, rest: string) => `${seconds.padStart(19)}  1234  1240 ${rest}\n`

test('log lines are parsed with any level and tag', () => {
  const text = [
    '--------- beginning of main\n',
    line('1700000000.250', 'E Net:Stack: a: b'),
    '--------- beginning of crash\r\n',
    line('1700000001.000', 'F libc    : Fatal signal 11').replace('\n', '\r\n'),
    line('1700000001.500', 'I Empty: '),
    'not a line of a log\n',
  ].join('')
  expect(parseLog(text)).toEqual([
    { ms: 1_700_000_000_250, pid: 1234, tid: 1240, level: 'E', tag: 'Net:Stack', text: 'a: b' },
    {
      ms: 1_700_000_001_000,
      pid: 1234,
      tid: 1240,
      level: 'F',
      tag: 'libc',
      text: 'Fatal signal 11',
    },
    { ms: 1_700_000_001_500, pid: 1234, tid: 1240, level: 'I', tag: 'Empty', text: '' },
  ])
})

/** A device whose clock is an hour ahead. */
const createDeviceAhead = (log: string, exitCode = 0): CommandRunner & { readonly lines: string[] } => {
  const lines: string[] = []
  return {
    serial: 's',
    lines,
    run: async (commandLine) => {
      lines.push(commandLine)
      const readsTime = commandLine.startsWith('date')
      return {
        exitCode: readsTime ? 0 : exitCode,
        stdout: Buffer.from(readsTime ? '1700003600.000\n' : log),
        stderr: Buffer.alloc(0),
      }
    },
  }
}

const WINDOW = { fromMs: 1_699_999_990_000, toMs: 1_700_000_000_000, lines: 2 }
const hostNow = () => 1_700_000_000_000

test('device times are converted to host times, and only the requested period is returned', async () => {
  const log = ['1700003589.999', '1700003591.000', '1700003592.000', '1700003593.000', '1700003601.000']
    .map((at) => line(at, `I T: ${at}`))
    .join('')
  const runner = createDeviceAhead(log)
  const read = await readDeviceLog(runner, { ...WINDOW, hostNow }, LIMITS)
  expect(runner.lines[1]).toBe('logcat -d -v epoch -t 1700003590.000')
  expect(read).toMatchObject({ truncated: true, clock_offset_ms: 3_600_000 })
  expect(read.lines.map(({ at, text }) => [at, text])).toEqual([
    ['2023-11-14T22:13:12.000Z', '1700003592.000'],
    ['2023-11-14T22:13:13.000Z', '1700003593.000'],
  ])
})

test('a failing logcat is an error, and an exception text in the log is not', async () => {
  const refused = readDeviceLog(createDeviceAhead('', 1), { ...WINDOW, hostNow }, LIMITS)
  await expect(refused).rejects.toThrow(OperationFailure)
  const noisy = `java.lang.IllegalStateException: no\n${line('1700003591.000', 'E T: x')}`
  expect((await readDeviceLog(createDeviceAhead(noisy), { ...WINDOW, hostNow }, LIMITS)).lines).toHaveLength(1)
})
