import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { eventually } from './polling.ts'
import {
  type HostConnection,
  askHost,
  openHost,
  openPhone,
  readAll,
  readShell,
  shell,
} from './host-client.ts'
import { arrangements } from './rig.ts'
import { patternBytes } from './tiny-phone.ts'

describe.each(arrangements)('through $face', ({ rig: start }) => {
  test('the phone is listed as a device with its banner and features', async () => {
    const { target, phone } = await start()
    expect(await askHost(target.port, 'host:devices')).toBe(`${target.serial}\tdevice\n`)
    expect(await askHost(target.port, 'host:devices-l')).toBe(
      `${target.serial.padEnd(22)} device product:tiny_product model:Tiny_Phone__one_ device:tiny transport_id:1\n`,
    )
    const features = await askHost(target.port, `host-serial:${target.serial}:features`)
    expect(features.split(',').toSorted()).toEqual([...phone.features].toSorted())
  })

  test('features the faces cannot carry are not announced', async () => {
    const { target } = await start({ features: ['shell_v2', 'delayed_ack', 'sendrecv_v2'] })
    expect(await askHost(target.port, 'host:features')).toBe('shell_v2')
  })

  test('a shell_v2 command keeps stdout, stderr and exit code apart', async () => {
    const { target, phone } = await start()
    const result = await shell(target, 'echo out; warn careful; exit 7')
    expect(result.stdout.toString()).toBe('out\n')
    expect(result.stderr.toString()).toBe('careful\n')
    expect(result.code).toBe(7)
    expect(phone.ran).toEqual(['echo out; warn careful; exit 7'])
  })

  test('a command that throws inside the phone ends with 255 and its reason', async () => {
    const { target } = await start()
    const result = await shell(target, 'crash')
    expect(result.code).toBe(255)
    expect(result.stderr.toString()).toContain('out of order')
  })

  test('output of 3 MB arrives byte for byte', async () => {
    const { target } = await start()
    const result = await shell(target, 'bytes 3000000')
    expect(result.code).toBe(0)
    expect(result.stdout.equals(patternBytes(3_000_000))).toBe(true)
  })

  test('stdin reaches a command and its end is seen while the stream stays open', async () => {
    const { target } = await start()
    const input = patternBytes(400_000)
    const result = await shell(target, 'cat', input)
    expect(result.stdout.equals(input)).toBe(true)
    expect(result.code).toBe(0)
  })

  test('an empty command is a shell that reads its lines from stdin', async () => {
    const { target } = await start()
    const result = await shell(target, '', Buffer.from('echo one\necho two\nexit 3\n'))
    expect(result.stdout.toString()).toBe('one\ntwo\n')
    expect(result.code).toBe(3)
  })

  test('empty stdin packets are ignored, however many', async () => {
    const { target, phone } = await start()
    const host = await openPhone(target, 'shell,v2,raw:sleep 30')
    for (let count = 0; count < 40; count += 1) host.socket.write(Buffer.alloc(5 * 500))
    await eventually(() => phone.running).toBe(1)
    host.close()
    await eventually(() => phone.running).toBe(0)
    expect(phone.ran).toEqual(['sleep 30'])
  })

  test('legacy shell and exec give one raw stream without exit code', async () => {
    const { target } = await start()
    for (const service of ['shell:', 'exec:']) {
      const host = await openPhone(target, `${service}echo out; warn careful; exit 7`)
      expect((await readAll(host)).toString()).toBe('out\ncareful\n')
      host.close()
    }
  })

  test('a client that leaves ends its command', async () => {
    const { target, phone } = await start()
    const host = await openPhone(target, 'shell,v2,raw:sleep 30')
    await eventually(() => phone.running).toBe(1)
    host.close()
    await eventually(() => phone.running).toBe(0)
    expect(phone.ran).toEqual(['sleep 30'])
  })

  test('many commands run side by side, each with its own answer', async () => {
    const { target } = await start()
    const numbers = Array.from({ length: 12 }, (_, number) => number)
    const results = await Promise.all(
      numbers.map((number) => shell(target, `sleep 0.02; echo ${number}; exit ${number}`)),
    )
    expect(results.map((result) => result.code)).toEqual(numbers)
    expect(results.map((result) => Number(result.stdout.toString()))).toEqual(numbers)
  })

  test('an unknown service is closed and an unknown phone is not found', async () => {
    const { target } = await start()
    await expect(openPhone(target, 'nonsense:')).rejects.toThrow(/^closed$/)
    await expect(openPhone({ ...target, serial: 'other' }, 'shell:true')).rejects.toThrow(
      /^device 'other' not found$/,
    )
  })

  test('tport names the transport by its id', async () => {
    const { target } = await start()
    const host = await openPhoneByTport(target.port, `host:tport:serial:${target.serial}`)
    expect(host.id).toBe(1n)
    host.connection.close()
  })

  test('waiting for the phone to go away ends when it goes', async () => {
    const { target, faults, cut } = await start()
    const waiting = await openRequest(target, 'wait-for-any-disconnect')
    let over = false
    const gone = waiting.status().then((failure) => {
      over = true
      return failure
    })
    await sleep(150)
    expect(over).toBe(false)
    faults.set({ muteConnect: true })
    cut()
    expect(await gone).toBeUndefined()
    waiting.close()
  })
})

describe.each(arrangements)('faults through $face', ({ rig: start }) => {
  test('muteConnect: the phone is offline', async () => {
    const { target, faults, cut } = await start()
    faults.set({ muteConnect: true })
    cut()
    const list = () => askHost(target.port, 'host:devices')
    await eventually(list).toBe(`${target.serial}\toffline\n`)
    await expect(openPhone(target, 'shell:true')).rejects.toThrow(/^device offline$/)
  })

  test('unauthorized: adb says so, until the phone lets the key in', async () => {
    const { target, faults, cut } = await start()
    faults.set({ unauthorized: true })
    cut()
    const list = () => askHost(target.port, 'host:devices')
    await eventually(list).toBe(`${target.serial}\tunauthorized\n`)
    await expect(openPhone(target, 'shell:true')).rejects.toThrow(/^device unauthorized\.\n/)
    faults.clear()
    await eventually(list).toBe(`${target.serial}\tdevice\n`)
    expect((await shell(target, 'exit 7')).code).toBe(7)
  })

  test('cut: a running command ends without exit code', async () => {
    const { target, phone, cut } = await start()
    const host = await openPhone(target, 'shell,v2,raw:echo begun; sleep 30')
    await eventually(() => phone.running).toBe(1)
    expect((await host.reader.take(11))?.toString('latin1', 5)).toBe('begun\n')
    cut()
    const result = await readShell(host)
    expect(result.code).toBeUndefined()
    expect(result.stdout).toHaveLength(0)
    await eventually(() => phone.running).toBe(0)
    host.close()
  })

  test('freeze: silence while it lasts, then the answer', async () => {
    const { target, faults } = await start()
    faults.set({ freeze: true })
    const answer = shell(target, 'echo late; exit 7')
    expect(await settledWithin(answer, 200)).toBe(false)
    faults.clear()
    expect(await answer).toMatchObject({ code: 7, stdout: Buffer.from('late\n') })
  })

  test('hangOpen: the request is never answered and nothing runs', async () => {
    const { target, faults, phone } = await start()
    faults.set({ hangOpen: true })
    const answer = openPhone(target, 'shell,v2,raw:true')
    expect(await settledWithin(answer, 200)).toBe(false)
    expect(phone.ran).toEqual([])
  })

  test('hangCommand: accepted, then nothing', async () => {
    const { target, faults, phone } = await start()
    faults.set({ hangCommand: true })
    const host = await openPhone(target, 'shell,v2,raw:true')
    expect(await settledWithin(readShell(host), 200)).toBe(false)
    expect(phone.ran).toEqual([])
    host.close()
  })

  test('refuseOpen: closed', async () => {
    const { target, faults, phone } = await start()
    faults.set({ refuseOpen: true })
    await expect(openPhone(target, 'shell,v2,raw:true')).rejects.toThrow(/^closed$/)
    faults.clear()
    expect((await shell(target, 'true')).code).toBe(0)
    expect(phone.ran).toEqual(['true'])
  })

  test('commandDelayMs: the command starts later', async () => {
    const { target, faults, phone } = await start()
    faults.set({ commandDelayMs: 500 })
    const host = await openPhone(target, 'shell,v2,raw:exit 7')
    expect(phone.ran).toEqual([])
    expect((await readShell(host)).code).toBe(7)
    expect(phone.ran).toEqual(['exit 7'])
    host.close()
  })

  test('trickle: all the bytes, in many pieces', async () => {
    const { target, faults } = await start()
    faults.set({ trickle: { bytes: 8, intervalMs: 20 } })
    const host = await openPhone(target, 'exec:bytes 40')
    const pieces: Buffer[] = []
    for (;;) {
      const piece = await host.reader.takeAny()
      if (piece === undefined) break
      pieces.push(piece)
    }
    expect(Buffer.concat(pieces).equals(patternBytes(40))).toBe(true)
    expect(pieces.length).toBeGreaterThan(1)
    host.close()
  })

  test.each(['truncateAfter', 'dropAfter', 'corruptAfter'] as const)(
    '%s: output stops at that byte and no exit code comes',
    async (fault) => {
      const { target, faults, phone } = await start()
      const bystander = await openPhone(target, 'shell,v2,raw:sleep 30')
      await eventually(() => phone.running).toBe(1)
      faults.set({ [fault]: 1000 })
      const host = await openPhone(target, 'shell,v2,raw:bytes 5000; sleep 30')
      const bytes = await readAll(host)
      expect(bytes.subarray(5).equals(patternBytes(5000).subarray(0, 995))).toBe(true)
      await eventually(() => phone.running).toBe(fault === 'truncateAfter' ? 1 : 0)
      host.close()
      bystander.close()
    },
  )

  test('omitExit: all the output and no exit code', async () => {
    const { target, faults } = await start()
    faults.set({ omitExit: true })
    const result = await shell(target, 'echo whole; exit 7')
    expect(result.stdout.toString()).toBe('whole\n')
    expect(result.code).toBeUndefined()
  })

  test('noShellV2: not announced, refused, and the legacy shell still works', async () => {
    const { target } = await start({ faults: { noShellV2: true } })
    const features = await askHost(target.port, `host-serial:${target.serial}:features`)
    expect(features.split(',')).not.toContain('shell_v2')
    await expect(openPhone(target, 'shell,v2,raw:true')).rejects.toThrow(/^closed$/)
    const host = await openPhone(target, 'shell:echo old')
    expect((await readAll(host)).toString()).toBe('old\n')
    host.close()
  })
})

async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  )
  return Promise.race([settled, sleep(ms, false)])
}

async function openRequest(
  target: { port: number; serial: string },
  verb: string,
): Promise<HostConnection> {
  const host = await openHost(target.port)
  host.send(`host-serial:${target.serial}:${verb}`)
  expect(await host.status()).toBeUndefined()
  return host
}

async function openPhoneByTport(
  port: number,
  request: string,
): Promise<{ id: bigint; connection: HostConnection }> {
  const connection = await openHost(port)
  connection.send(request)
  expect(await connection.status()).toBeUndefined()
  const id = await connection.reader.take(8)
  return { id: id?.readBigUInt64LE() ?? 0n, connection }
}
