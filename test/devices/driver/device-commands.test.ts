import { describe, expect, onTestFinished, test } from 'vitest'
import { DeviceShell } from '../../../src/devices/shell/device-shell.ts'
import { eventually, SOON, transportFailure } from './outcomes.ts'
import { rigKinds } from './rigs.ts'
import type { Rig, RigKind } from './rigs.ts'
import { startShellPhone } from './shell-phone.ts'
import type { ShellPhone } from './shell-phone.ts'

/** A command runs on its own stream or in the persistent shell. */
const COMMAND_PATHS = ['its own stream', 'the persistent shell'] as const

describe.each(rigKinds)('over $name', (kind) => {
  describe.each(COMMAND_PATHS)('on %s', (way) => {
    test('stdout, stderr and exit code arrive separately', async () => {
      const { shell } = await phoneWith(kind, way)
      const result = await shell.run('echo out; echo err >&2; cat nowhere', SOON)
      expect(result.exitCode).toBe(1)
      expect(result.stdout.toString()).toBe('out\n')
      expect(result.stderr.toString()).toMatch(/^err\ncat: nowhere: /)
      expect((await shell.run('no-such-tool', SOON)).exitCode).toBe(127)
    })

    test('a command that ends its shell still returns its exit code', async () => {
      const { shell } = await phoneWith(kind, way)
      const result = await shell.run('echo last words; exit 7', SOON)
      expect(result).toMatchObject({ exitCode: 7 })
      expect(result.stdout.toString()).toBe('last words\n')
      expect((await shell.run('echo again', SOON)).stdout.toString()).toBe('again\n')
    })

    test('output without a final newline and empty output arrive unchanged', async () => {
      const { shell } = await phoneWith(kind, way)
      expect((await shell.run("printf 'no newline'", SOON)).stdout.toString()).toBe('no newline')
      expect((await shell.run('true', SOON)).stdout.length).toBe(0)
    })

    test('three megabytes arrive completely and in order', async () => {
      const { shell } = await phoneWith(kind, way)
      const line = 'head -c 3000000 /dev/zero; echo end'
      const { stdout, exitCode } = await shell.run(line, { timeoutMs: 20_000 })
      expect(exitCode).toBe(0)
      expect(stdout.length).toBe(3_000_004)
      expect(stdout.subarray(-4).toString()).toBe('end\n')
    })

    test('a command does not read the next command as its input', async () => {
      const { shell } = await phoneWith(kind, way)
      expect((await shell.run('cat', SOON)).stdout.length).toBe(0)
      expect((await shell.run('echo next', SOON)).stdout.toString()).toBe('next\n')
    })

    test('a slow device may answer within the time limit', async () => {
      const { rig, phone, shell } = await phoneWith(kind, way)
      await rig.faults(phone, { trickle: { bytes: 40, intervalMs: 5 } })
      const { stdout } = await shell.run('head -c 2000 /dev/zero', SOON)
      expect(stdout.length).toBe(2000)
    })

    test('a device may start commands late within the time limit', async () => {
      const { rig, phone, shell } = await phoneWith(kind, way)
      await rig.faults(phone, { commandDelayMs: 150 })
      expect((await shell.run('echo late', SOON)).stdout.toString()).toBe('late\n')
    })

    test('a hung command ends with its time limit and the device stays usable', async () => {
      const { shell, phone } = await phoneWith(kind, way)
      const failure = await transportFailure(shell.run('sleep 60', { timeoutMs: 1000 }))
      expect(failure).toMatchObject({ kind: 'deadline', retryable: true, commandSent: true })
      expect((await shell.run('echo alive', SOON)).stdout.toString()).toBe('alive\n')
      // An abandoned command is also ended on the device; only the persistent shell remains.
      await eventually(
        () => phone.running,
        (running) => running <= 1,
      )
    })

    test('an aborted command ends at once and the device stays usable', async () => {
      const { shell } = await phoneWith(kind, way)
      const abort = new AbortController()
      const call = shell.run('sleep 60', { timeoutMs: 60_000, signal: abort.signal })
      setTimeout(() => abort.abort(), 50)
      expect(await transportFailure(call)).toMatchObject({ kind: 'aborted', retryable: false })
      expect((await shell.run('echo alive', SOON)).stdout.toString()).toBe('alive\n')
    })

    test('a call without time or with an aborted signal never reaches the device', async () => {
      const { shell } = await phoneWith(kind, way)
      const late = await transportFailure(shell.run('touch ran', { timeoutMs: 0 }))
      expect(late).toMatchObject({ kind: 'deadline', commandSent: false })
      const signal = AbortSignal.abort()
      const aborted = await transportFailure(shell.run('touch ran', { ...SOON, signal }))
      expect(aborted).toMatchObject({ kind: 'aborted', commandSent: false })
      expect((await shell.run('cat ran', SOON)).exitCode).toBe(1)
    })

    test('a connection cut during a command fails with device_lost', async () => {
      const { rig, phone, shell } = await phoneWith(kind, way)
      const call = shell.run('echo part; sleep 60', SOON)
      await eventually(
        () => phone.running,
        (running) => running > 0,
      )
      setTimeout(() => void rig.cut(phone), 100)
      const failure = await transportFailure(call)
      expect(failure).toMatchObject({ kind: 'device_lost', retryable: true, commandSent: true })
      await eventually(
        () => echo(shell),
        (text) => text === 'alive\n',
      )
    })
  })

  test.each([
    ['cut inside its output', { dropAfter: 100_000 }],
    ['corrupt inside its output', { corruptAfter: 100_000 }],
    ['closed inside its output', { truncateAfter: 100_000 }],
    ['ended without the exit packet', { omitExit: true }],
  ] as const)('a stream %s is a lost device', async (_name, fault) => {
    const { rig, phone, shell } = await phoneWith(kind, 'its own stream')
    await rig.faults(phone, fault)
    const line = 'head -c 1000000 /dev/zero'
    const failure = await transportFailure(shell.run(line, SOON))
    expect(failure).toMatchObject({ kind: 'device_lost', commandSent: true })
    await rig.faults(phone, 'none')
    await eventually(
      () => echo(shell),
      (text) => text === 'alive\n',
    )
  })

  test('the persistent shell cut inside its output is a lost device', async () => {
    const { rig, phone, shell } = await phoneWith(kind, 'the persistent shell')
    await rig.faults(phone, { truncateAfter: 100_000 })
    const failure = await transportFailure(shell.run('head -c 1000000 /dev/zero', SOON))
    expect(failure).toMatchObject({ kind: 'device_lost', commandSent: true })
    await rig.faults(phone, 'none')
    await eventually(
      () => echo(shell),
      (text) => text === 'alive\n',
    )
  })

  test.each([
    ['does not answer an open', { hangOpen: true }],
    ['accepts a command and does not answer', { hangCommand: true }],
    ['is frozen', { freeze: true }],
  ] as const)('a device that %s ends with the time limit', async (_name, fault) => {
    const { rig, phone, shell } = await phoneWith(kind, 'its own stream')
    await rig.faults(phone, fault)
    const failure = await transportFailure(shell.run('echo hi', { timeoutMs: 250 }))
    expect(failure.kind).toBe('deadline')
    await rig.faults(phone, 'none')
    await eventually(
      () => echo(shell),
      (text) => text === 'alive\n',
    )
  })

  test('the persistent shell of a frozen device ends with the time limit', async () => {
    const { rig, phone, shell } = await phoneWith(kind, 'the persistent shell')
    await rig.faults(phone, { freeze: true })
    const failure = await transportFailure(shell.run('echo hi', { timeoutMs: 400 }))
    expect(failure).toMatchObject({ kind: 'deadline', commandSent: true })
    await rig.faults(phone, 'none')
    await eventually(
      () => echo(shell),
      (text) => text === 'alive\n',
    )
  })

  test('a refused stream is reported as not sent', async () => {
    const { rig, phone, shell } = await phoneWith(kind, 'its own stream')
    await rig.faults(phone, { refuseOpen: true })
    const failure = await transportFailure(shell.run('echo hi', SOON))
    expect(failure).toMatchObject({ kind: 'stream_refused', commandSent: false })
    await rig.faults(phone, 'none')
    expect(await echo(shell)).toBe('alive\n')
  })

  test('a failing device does not affect the others', async () => {
    const sick = await startShellPhone('sick')
    const well = await startShellPhone('well')
    const rig = await kind.start([sick, well])
    await rig.faults(sick, { hangCommand: true })
    const hung = transportFailure(openShell(rig, sick).run('echo hi', { timeoutMs: 1500 }))
    const other = openShell(rig, well)
    for (let round = 0; round < 10; round += 1) expect(await echo(other)).toBe('alive\n')
    expect((await hung).kind).toBe('deadline')
  })

  test('no socket remains open, however calls end', async () => {
    const { rig, phone, shell } = await phoneWith(kind, 'its own stream')
    const calls = [
      shell.run('sleep 60', { timeoutMs: 150 }),
      shell.run('cat nowhere', SOON),
      shell.run('sleep 60', { ...SOON, signal: AbortSignal.timeout(100) }),
      shell.run('head -c 200000 /dev/zero', SOON),
      shell.run('echo', { timeoutMs: 0 }),
    ]
    await Promise.allSettled(calls)
    await rig.faults(phone, { hangOpen: true })
    await Promise.allSettled([shell.run('echo', { timeoutMs: 100 })])
    shell.close()
    await rig.faults(phone, 'none')
    const left = () => ({ sockets: rig.proxy.connections, commands: phone.running })
    const nothing = await eventually(left, ({ sockets, commands }) => sockets + commands === 0)
    expect(nothing).toEqual({ sockets: 0, commands: 0 })
  })

  test('a device without shell_v2 still reports exit codes and lost streams', async () => {
    const { rig, phone, shell } = await phoneWith(kind, 'its own stream', { noShellV2: true })
    const result = await shell.run('echo out; cat nowhere', SOON)
    expect(result).toMatchObject({ exitCode: 1 })
    expect(result.stdout.toString()).toMatch(/^out\ncat: nowhere: /)
    expect(await shell.run('exit 7', SOON)).toMatchObject({ exitCode: 7 })
    expect((await shell.run('cat', SOON)).stdout.length).toBe(0)
    const big = await shell.run('head -c 1500000 /dev/zero', SOON)
    expect(big).toMatchObject({ exitCode: 0 })
    expect(big.stdout.length).toBe(1_500_000)
    await rig.faults(phone, { noShellV2: true, truncateAfter: 100_000 })
    const failure = await transportFailure(shell.run('head -c 1000000 /dev/zero', SOON))
    expect(failure).toMatchObject({ kind: 'device_lost', commandSent: true })
  })
})

async function phoneWith(
  kind: RigKind,
  way: (typeof COMMAND_PATHS)[number],
  faults: Parameters<Rig['faults']>[1] = 'none',
): Promise<{ rig: Rig; phone: ShellPhone; shell: DeviceShell }> {
  const phone = await startShellPhone('phone-1')
  const rig = await kind.start([phone])
  await rig.faults(phone, faults)
  const shell = openShell(rig, phone)
  // Read in advance, so that short time limits apply to the command only.
  await shell.features(SOON)
  if (way === 'the persistent shell') await usePersistentShell(shell, phone)
  return { rig, phone, shell }
}

async function usePersistentShell(shell: DeviceShell, phone: ShellPhone): Promise<void> {
  const opened = await shell.openPersistent(SOON)
  await shell.run('true', SOON)
  expect([opened, phone.shellsOpened]).toEqual([true, 1])
}

function openShell(rig: Rig, phone: ShellPhone): DeviceShell {
  const shell = new DeviceShell(rig.client, rig.serial(phone))
  onTestFinished(() => shell.close())
  return shell
}

async function echo(shell: DeviceShell): Promise<string> {
  return shell.run('echo alive', { timeoutMs: 1000 }).then(
    ({ stdout }) => stdout.toString(),
    (error: unknown) => String(error),
  )
}
