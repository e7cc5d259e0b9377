import { expect, test } from 'vitest'
import { withLimits } from '../../../src/devices/adb/call-limits.ts'
import type { CallLimits } from '../../../src/devices/adb/call-limits.ts'
import type { CommandRunner } from '../../../src/devices/shell/device-shell.ts'
import { UiautomatorSource } from '../../../src/devices/driver/ui-source.ts'
import { SOON, transportFailure } from './outcomes.ts'

const XML = '<?xml version="1.0"?><hierarchy rotation="0"><node text="hi" /></hierarchy>'

test('the dump file has a unique name and is removed before and after', async () => {
  const device = scriptedDevice([{ stdout: XML }, { stdout: XML }])
  const source = new UiautomatorSource(device)
  expect(await source.dump(SOON)).toEqual({ outcome: 'ok', xml: XML })
  await source.dump(SOON)
  const file = /dump (\/data\/local\/tmp\/\S+\.xml)/.exec(device.lines[0] ?? '')?.[1] ?? ''
  expect(device.lines[0]).toMatch(new RegExp(`^rm -f ${file}; .*cat ${file}; rm -f ${file}$`))
  const elsewhere = scriptedDevice([{ stdout: XML }])
  await new UiautomatorSource(elsewhere).dump(SOON)
  expect(elsewhere.lines[0]).not.toContain(file)
})

test('a crash without output is retried once', async () => {
  const recovered = scriptedDevice([{ stderr: 'cat: x: No such file or directory\n' }, { stdout: XML }])
  expect(await new UiautomatorSource(recovered).dump(SOON)).toMatchObject({ outcome: 'ok' })
  const broken = scriptedDevice([{}, {}, { stdout: XML }])
  expect(await new UiautomatorSource(broken).dump(SOON)).toMatchObject({ kind: 'crashed' })
  expect(broken.lines).toHaveLength(2)
})

test('a screen that is never idle is reported without a retry', async () => {
  const device = scriptedDevice([{ stdout: 'ERROR: could not get idle state.\n' }, { stdout: XML }])
  expect(await new UiautomatorSource(device).dump(SOON)).toMatchObject({ kind: 'not_idle' })
  expect(device.lines).toHaveLength(1)
})

test('the exit code of the dump is read although other commands follow', async () => {
  const device = scriptedDevice([(line) => ({ stdout: `${/echo (\S+):/.exec(line)?.[1]}:137\n` })])
  expect(await new UiautomatorSource(device).dump(SOON)).toMatchObject({ kind: 'killed' })
})

test('dumps run one at a time, and a waiting dump ends with its own limit', async () => {
  const device = scriptedDevice([{ afterMs: 300, stdout: XML }, { stdout: XML }])
  const source = new UiautomatorSource(device)
  const first = source.dump(SOON)
  const shortTimeout = source.dump({ timeoutMs: 50 })
  const patient = source.dump(SOON)
  expect(await transportFailure(shortTimeout)).toMatchObject({
    kind: 'deadline',
    commandSent: false,
  })
  expect(device.lines).toHaveLength(1)
  expect(await first).toMatchObject({ outcome: 'ok' })
  expect(await patient).toMatchObject({ outcome: 'ok' })
  expect(device.mostAtOnce).toBe(1)
  expect(device.lines).toHaveLength(2)
})

interface Answer {
  readonly stdout?: string
  readonly stderr?: string
  readonly afterMs?: number
}

/** A device with prepared answers, one per command. */
function scriptedDevice(answers: readonly (Answer | ((line: string) => Answer))[]) {
  const lines: string[] = []
  let running = 0
  let mostAtOnce = 0
  const runner: CommandRunner = {
    serial: 'scripted',
    run: (line: string, limits: CallLimits) =>
      withLimits(limits, { what: 'scripted' }, async () => {
        const given = answers[lines.push(line) - 1] ?? {}
        const answer = typeof given === 'function' ? given(line) : given
        running += 1
        mostAtOnce = Math.max(mostAtOnce, running)
        await new Promise((resolve) => setTimeout(resolve, answer.afterMs ?? 0))
        running -= 1
        const [stdout, stderr] = [Buffer.from(answer.stdout ?? ''), Buffer.from(answer.stderr ?? '')]
        return { stdout, stderr, exitCode: 0 }
      }),
  }
  return {
    ...runner,
    lines,
    get mostAtOnce() {
      return mostAtOnce
    },
  }
}
