import { expect, onTestFinished, test } from 'vitest'
import { toDeviceFailureCode, formatDeviceFailureHint } from '../../../src/devices/engine/device-failure.ts'
import { TransportFailure } from '../../../src/devices/adb/transport-failure.ts'
import type { FaultName } from '@apprentice/phone/phone.ts'
import { eventually } from '../driver/outcomes.ts'
import { BENCH, type Bench, overBothServers } from './bench.ts'

const PRESS = { type: 'click', params: { matcher: { text: 'Press me' } } }

const DUMP_FAULTS: readonly (readonly [FaultName, string])[] = [
  ['dumpNeverIdle', 'not_idle'],
  ['dumpNullRoot', 'null_root'],
  ['dumpSecondClient', 'other_client'],
  ['dumpTruncated', 'truncated'],
  ['dumpCrash', 'crashed'],
  ['dumpKilled', 'killed'],
  ['dumpStaleFile', 'crashed'],
]

overBothServers((open) => {
  test.each(DUMP_FAULTS)('an unreadable screen (%s) fails the step without a touch', async (fault, kind) => {
    const bench = await open()
    await bench.show('taps')
    bench.phone.faults.set(fault)
    const envelope = await bench.execute([PRESS, PRESS])
    expect(envelope).toMatchObject({ status: 'failed', errorCode: 'UI_TREE_UNAVAILABLE' })
    expect(envelope.stepResults[0]?.data).toMatchObject({ kind, attempts: '5' })
    expect(envelope.stepResults[1]?.outcome).toBe('skipped')
    expect(bench.calls).not.toContain('tap')
    expect(bench.phone.state(BENCH).saved).toMatchObject({ taps: 0 })
  })

  test.each(DUMP_FAULTS)('a reading that fails temporarily (%s) is retried', async (fault) => {
    const bench = await open()
    await bench.show('taps')
    bench.phone.faults.set(fault, 2)
    expect((await bench.step(PRESS)).success).toBe(true)
    expect(bench.phone.state(BENCH).saved).toMatchObject({ taps: 1 })
    await bench.show('list')
    bench.phone.faults.set(fault, 2)
    expect((await bench.step({ type: 'scroll' })).data['scroll_outcome']).toBe('moved')
  })

  test('output before the tree is ignored', async () => {
    const bench = await open()
    await bench.show('taps')
    bench.phone.faults.set('dumpGarbagePrefix')
    expect((await bench.step(PRESS)).success).toBe(true)
    expect(bench.dumps()).toBe(1)
  })

  test('a wait continues after failed readings and reports if there was no good one', async () => {
    const bench = await open()
    await bench.show('taps')
    bench.phone.faults.set('dumpNullRoot', 4)
    const wait = (text: string) => ({
      type: 'wait_for_node',
      params: { matcher: { text }, timeoutMs: 3000 },
    })
    expect((await bench.step(wait('Press me'))).success).toBe(true)
    bench.phone.faults.set('dumpNullRoot', 1)
    expect((await bench.step(wait('No such'))).data['error']).toBe('NODE_NOT_FOUND')
    bench.phone.faults.set('dumpNullRoot')
    expect((await bench.step(wait('Press me'))).data).toMatchObject({
      error: 'UI_TREE_UNAVAILABLE',
      kind: 'null_root',
    })
  })

  test('a screen that never becomes idle fails with that reason before the time limit', async () => {
    const bench = await open({ latency: 'realistic' })
    await bench.show('taps')
    bench.phone.faults.set('dumpNeverIdle')
    const { data } = await bench.step(PRESS, { timeoutMs: 30_000 })
    expect(data).toMatchObject({ error: 'UI_TREE_UNAVAILABLE', kind: 'not_idle', attempts: '2' })
  })

  test('a snapshot while the screen is off fails with null_root', async () => {
    const bench = await open()
    bench.phone.setScreen('off')
    const { data } = await bench.step({
      type: 'snapshot_ui',
      params: { retry: { maxAttempts: 2 } },
    })
    expect(data).toMatchObject({ error: 'UI_TREE_UNAVAILABLE', kind: 'null_root', attempts: '2' })
    expect(data).not.toHaveProperty('text')
  })

  test('a device unplugged during a command fails with DEVICE_LOST', async () => {
    const bench = await open({ realTime: true })
    await bench.show('taps')
    const hung = hangTaps(bench)
    const running = bench.execute([{ type: 'sleep', params: { durationMs: 1 } }, PRESS, PRESS])
    await hung
    await bench.wire.unplug()
    const envelope = await running
    expect(envelope).toMatchObject({
      status: 'failed',
      errorCode: 'DEVICE_LOST',
      error: 'Step s2 (click) failed: DEVICE_LOST',
    })
    expect(envelope.hint).toMatch(/^Retryable.*unknown\.$/)
    expect(envelope.stepResults.map(({ outcome }) => outcome)).toEqual(['succeeded', 'failed', 'skipped'])
    expect(envelope.stepResults[1]?.data).toMatchObject({ retryable: 'true', command_sent: 'true' })
    expect(bench.calls.filter((name) => name === 'tap')).toHaveLength(1)
    expect(bench.phone.state(BENCH).saved).toMatchObject({ taps: 0 })
  })

  test('an absent device fails with DEVICE_LOST before a touch', async () => {
    const bench = await open({ realTime: true })
    await bench.wire.detach()
    const envelope = await bench.execute([PRESS])
    expect(envelope.errorCode).toBe('DEVICE_LOST')
    expect(bench.calls).toEqual(['dump'])
  })

  test.each([
    ['DEVICE_UNAUTHORIZED', { unauthorized: true }, 'false'],
    ['DEVICE_OFFLINE', { muteConnect: true }, 'true'],
  ])('%s', async (errorCode, fault, retryable) => {
    const bench = await open({ realTime: true })
    await bench.show('taps')
    await bench.wire.faults(fault)
    // Wait until the open shell has ended; a command in it would fail with DEVICE_LOST.
    await eventually(
      () => readFailureCode(bench),
      (code) => code === errorCode,
    )
    const envelope = await bench.execute([PRESS], { timeoutMs: 5000 })
    expect(envelope.errorCode).toBe(errorCode)
    expect(envelope.stepResults[0]?.data['retryable']).toBe(retryable)
    expect(bench.phone.state(BENCH).saved).toMatchObject({ taps: 0 })
  })

  test('a dead adb server fails with ADB_SERVER_FAILED', async () => {
    const bench = await open({ realTime: true })
    await bench.show('taps')
    await bench.server.kill()
    onTestFinished(() => bench.server.revive())
    const envelope = await bench.execute([PRESS], { timeoutMs: 5000 })
    expect(['ADB_SERVER_FAILED', 'DEVICE_LOST']).toContain(envelope.errorCode)
    const again = await bench.execute([PRESS], { timeoutMs: 5000 })
    expect(again.errorCode).toBe('ADB_SERVER_FAILED')
  })

  test.each([
    ['a program on it', async ({ phone }: Bench) => phone.faults.hangCommand(/uiautomator/)],
    ['its shell', (bench: Bench) => bench.wire.faults({ hangCommand: true, freeze: true })],
  ])('a device that hangs (%s) fails after the time limit of one command', async (_name, hang) => {
    const bench = await open({ realTime: true })
    await bench.show('taps')
    await hang(bench)
    const envelope = await bench.execute([PRESS, PRESS], { timeoutMs: 20_000, callTimeoutMs: 300 })
    expect(envelope.errorCode).toBe('DEVICE_TIMEOUT')
    expect(envelope.hint).toMatch(/^Retryable/)
    expect(bench.calls).toEqual(['dump'])
  })

  test('a device that hangs until the time limit is reported with the current and the completed steps', async () => {
    const bench = await open({ realTime: true })
    await bench.show('taps')
    bench.phone.faults.hangCommand(/input tap/)
    const sleep = { type: 'sleep', params: { durationMs: 1 } }
    const envelope = await bench.execute([sleep, sleep, PRESS, sleep], { timeoutMs: 2000 })
    expect(envelope).toMatchObject({ status: 'failed', errorCode: 'RESULT_ENVELOPE_TIMEOUT' })
    expect(envelope.hint).toBe('The time ran out in step s3 (click); completed steps: s1, s2.')
    expect(envelope.stepResults[2]?.data).toMatchObject({
      error: 'RESULT_ENVELOPE_TIMEOUT',
      current_step_id: 's3',
      completed_steps: '["s1","s2"]',
      command_sent: 'true',
      timeout_ms: '2000',
    })
    expect(envelope.stepResults[3]?.outcome).toBe('skipped')
  })
})

test('every transport failure has a code and a hint', () => {
  const codes = {
    server_down: 'ADB_SERVER_FAILED',
    protocol_error: 'ADB_SERVER_FAILED',
    device_offline: 'DEVICE_OFFLINE',
    device_connecting: 'DEVICE_OFFLINE',
    device_unauthorized: 'DEVICE_UNAUTHORIZED',
    device_not_found: 'DEVICE_LOST',
    device_lost: 'DEVICE_LOST',
    stream_refused: 'DEVICE_LOST',
    deadline: 'DEVICE_TIMEOUT',
    aborted: 'DEVICE_LOST',
  } as const
  for (const [kind, code] of Object.entries(codes)) {
    const failure = new TransportFailure(kind as keyof typeof codes, 'message')
    expect(toDeviceFailureCode(failure)).toBe(code)
    expect(formatDeviceFailureHint(failure).startsWith('Retryable')).toBe(failure.retryable)
  }
})

/** Makes taps hang. Resolves when the phone receives one. */
function hangTaps({ phone: { faults } }: Bench): Promise<void> {
  faults.hangCommand(/input tap/)
  const shouldHang = faults.shouldHang.bind(faults)
  return new Promise((resolve) => {
    faults.shouldHang = (command) => {
      const hangs = shouldHang(command)
      if (hangs) resolve()
      return hangs
    }
  })
}

/** The failure code of the next command, or `nothing`. */
function readFailureCode({ driver }: Bench): Promise<string> {
  return driver.foreground({ timeoutMs: 5000 }).then(
    () => 'nothing',
    (error: unknown) => (error instanceof TransportFailure ? toDeviceFailureCode(error) : String(error)),
  )
}
